"""What TensorBoard gets beside the numbers: settings, order of charts, pictures, the numbers of the end."""

import re

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar.layout_pb2 import Layout
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

from dotzero.train.flat_settings import flat_settings
from dotzero.train.metrics import LAYOUT, Metrics

SETTINGS = {
    "game": "boxes",
    "rules": {"rows": 3},
    "boards": [{"columns": 2}],
    "loop": {"overlap": True, "stop_after": None},
    "learner": {"learning_rate": 0.002},
    "empty": {},
}


@pytest.fixture
def events(tmp_path):
    metrics = Metrics(tmp_path, 0)
    metrics.describe(SETTINGS, ["judge/3x3/raw/optimal"])
    metrics.write(1, {"judge/3x3/raw/optimal": 0.5, "learner/loss": 2.0})
    metrics.images(1, {"start/policy": np.full((20, 30, 3), 7, np.uint8)})
    metrics.finish(1, {"score": 0.75})
    metrics.close()
    read = EventAccumulator(str(tmp_path / "tensorboard"), size_guidance={"images": 0, "tensors": 0})
    read.Reload()
    return read


def test_settings_are_text_that_the_command_line_takes(events):
    text = events.Tensors("settings/text_summary")[0].tensor_proto.string_val[0].decode()
    assert text.splitlines() == [
        "    game=boxes",
        "    rules.rows=3",
        '    boards=[{"columns": 2}]',
        "    loop.overlap=true",
        "    loop.stop_after=null",
        "    learner.learning_rate=0.002",
        "    empty={}",
    ]


def test_settings_stand_in_the_table_of_runs(events):
    metadata = {
        name: events.SummaryMetadata(name).plugin_data.content
        for name in events.PluginTagToContent("hparams")
    }
    start = HParamsPluginData.FromString(metadata["_hparams_/session_start_info"]).session_start_info
    assert start.hparams["rules.rows"].number_value == 3
    assert start.hparams["loop.overlap"].number_value == 1
    assert start.hparams["boards"].string_value == '[{"columns": 2}]'
    assert set(start.hparams) == {name for name, _ in flat_settings(SETTINGS)}
    experiment = HParamsPluginData.FromString(metadata["_hparams_/experiment"]).experiment
    compared = [info.name.tag for info in experiment.metric_infos]
    assert compared[0] == "judge/3x3/raw/optimal"
    assert "learner/loss" in compared
    assert "_hparams_/session_end_info" in metadata


def test_pictures_and_the_numbers_of_the_end(events):
    (picture,) = events.Images("start/policy")
    assert (picture.step, picture.width, picture.height) == (1, 30, 20)
    assert [(event.step, event.value) for event in events.Scalars("final/score")] == [(1, 0.75)]
    assert [event.value for event in events.Scalars("judge/3x3/raw/optimal")] == [0.5]


def test_the_headline_comes_first(events):
    layout = Layout.FromString(events.Tensors("custom_scalars__config__")[0].tensor_proto.string_val[0])
    assert [category.title for category in layout.category] == list(LAYOUT)
    first = layout.category[0].chart[0]
    assert (first.title, list(first.multiline.tag)) == (
        "share of best lines",
        LAYOUT["Headline"]["share of best lines"],
    )


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("judge/3x3/raw/optimal", [("Headline", "share of best lines")]),
        ("judge/3x3/256/lost", [("Headline", "margin lost a line")]),
        ("judge/3x3/raw/opening/optimal", [("Judge by phase", "share of best lines")]),
        ("judge/3x3/64/end/lost", [("Judge by phase", "margin lost a line")]),
        ("ladder/medium/score", [("Arena", "score against fixed opponents")]),
        ("learner/policy", [("Losses", "policy")]),
        ("learner/soft_policy", [("Losses", "policy")]),
        ("learner/value", [("Losses", "value")]),
        ("selfplay/evaluations_per_second", [("Speed", "evaluations a second")]),
        ("time/learner", [("Speed", "seconds of each half")]),
        ("time/seconds", []),
        ("memory/rss_mib", [("Speed", "memory in MiB")]),
    ],
)
def test_every_number_is_drawn_where_it_belongs(name, places):
    """As the plugin does: a pattern must match from a name's beginning."""
    found = [
        (section, title)
        for section, charts in LAYOUT.items()
        for title, tags in charts.items()
        if any(re.match(tag, name) for tag in tags)
    ]
    assert found == places
