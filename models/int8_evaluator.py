"""Evaluation of an exported model with an 8-bit trunk, refitted to the weights each time they change.

The one idea: the original model stays at hand. New weights go into it, its ranges are found anew on the
positions that the evaluator was given, and only then is it quantised, so nothing of earlier weights is left
and equal weights with equal positions give equal answers.

Weights whose quantised answers stray too far are evaluated by the original, at its speed: a run of days does
not end for it, and its `parity` says so.
"""

from collections.abc import Sequence
from pathlib import Path

from dotzero.models.encoding import EncodingSpec
from dotzero.models.int8 import CalibrationPositions, Int8Error, quantised_model
from dotzero.models.onnx_evaluator import OnnxEvaluator


class Int8Evaluator(OnnxEvaluator):
    """Evaluates with a quantised trunk; compares itself with the original whenever the weights change."""

    def __init__(
        self,
        model: bytes | Path | str,
        positions: Sequence[CalibrationPositions],
        num_workers: int = 1,
        expected: EncodingSpec | None = None,
    ) -> None:
        """Open the model and quantise it.

        Args:
            model: An exported model in float32, or its file.
            positions: Of every size that will be evaluated, from all stages of the game.
            num_workers: As of `OnnxEvaluator`.
            expected: As of `OnnxEvaluator`.

        Raises:
            ValueError: As of `OnnxEvaluator`; or there are no positions.
        """
        super().__init__(model, num_workers, expected)
        self._positions = list(positions)
        self._recent: list[CalibrationPositions] = []
        self._parity: dict[str, float] = {}
        self._use(self._model)

    @property
    def parity(self) -> dict[str, float]:
        """See `Evaluator.parity`: the figures of `check_int8`, and "used", 0 while the original answers."""
        return dict(self._parity)

    def calibrate(self, positions: Sequence[CalibrationPositions]) -> None:
        """See `Evaluator.calibrate`; they come in addition to those that were given in the beginning."""
        self._recent = list(positions)

    def _executable(self, model: bytes) -> bytes:
        try:
            executable, parity = quantised_model(model, [*self._positions, *self._recent])
        except Int8Error as error:
            executable, parity = model, error.parity
        self._parity = {**parity, "used": float(executable is not model)}
        return executable
