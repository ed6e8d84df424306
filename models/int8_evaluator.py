"""Evaluation of an exported model with an 8-bit trunk, refitted to the weights each time they change.

The one idea: the original model stays at hand. New weights go into it, its ranges are found anew on the
positions that the evaluator was given, and only then is it quantised, so nothing of earlier weights is left
and equal weights with equal positions give equal answers.
"""

from collections.abc import Sequence
from pathlib import Path

from dotzero.models.encoding import EncodingSpec
from dotzero.models.int8 import CalibrationPositions, quantised_model
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
            ValueError: As of `OnnxEvaluator`; there are no positions, or int8 answers too differently.
        """
        super().__init__(model, num_workers, expected)
        self._positions = list(positions)
        self._recent: list[CalibrationPositions] = []
        self._parity: dict[str, float] = {}
        self._use(self._model)

    @property
    def parity(self) -> dict[str, float]:
        """See `Evaluator.parity`; the figures are those of `check_int8`."""
        return dict(self._parity)

    def calibrate(self, positions: Sequence[CalibrationPositions]) -> None:
        """See `Evaluator.calibrate`; they come in addition to those that were given in the beginning."""
        self._recent = list(positions)

    def _executable(self, model: bytes) -> bytes:
        quantised, self._parity = quantised_model(model, [*self._positions, *self._recent])
        return quantised
