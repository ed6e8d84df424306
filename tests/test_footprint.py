"""Memory and disk are counted in MiB."""

import numpy as np
import pytest

from dotzero.train.footprint import folder_mib, rss_mib


def test_memory_is_that_of_this_process():
    before = rss_mib()
    assert 10 < before < 100_000
    block = np.ones(64 * 2**17)  # 64 MiB, touched
    assert rss_mib() - before > 32
    assert block[-1] == 1


def test_a_folder_is_as_large_as_its_files(tmp_path):
    assert folder_mib(tmp_path / "absent") == 0
    assert folder_mib(tmp_path) == 0
    (tmp_path / "inner").mkdir()
    (tmp_path / "a").write_bytes(bytes(2**20))
    (tmp_path / "inner" / "b").write_bytes(bytes(2**19))
    (tmp_path / "inner" / "up").symlink_to(tmp_path)
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert folder_mib(tmp_path) == pytest.approx(1.5, abs=0.001)
