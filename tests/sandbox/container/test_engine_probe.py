"""Methods to start containers are probed from the strongest. A method that does not isolate as required is not used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.container.engine import EngineSettings
from workbench.sandbox.container.image_builder import _candidates, describe_settings, find_working_settings


def test_kernel_groups_come_before_none_and_the_direct_channel_before_the_carried() -> None:
    ways = list(_candidates(EngineSettings("podman", "/usr/bin/podman", limits=True)))
    assert ways[0].limits
    assert ways[0].descriptor
    assert any("--cgroups=disabled" in way.run_options for way in ways if not way.limits)
    assert len({describe_settings(way) + str(way.options) + str(way.run_options) for way in ways}) == len(ways)


def test_a_service_gets_no_descriptor_and_chooses_its_runtime_itself() -> None:
    ways = list(_candidates(EngineSettings("podman", "/usr/bin/podman", service=True)))
    assert [(way.descriptor, way.runtime, way.options) for way in ways] == [(False, "", ())] * 2
    assert [way.run_options for way in ways] == [(), ("--cgroups=disabled",)]
    assert not any(way.descriptor for way in _candidates(EngineSettings("docker", "/usr/bin/docker")))


def test_of_another_machine_s_docker_nothing_is_concluded_from_this_one() -> None:
    ways = list(_candidates(EngineSettings("docker", "/usr/bin/docker", limits=True, remote="ssh://box")))
    assert [(way.runtime, way.limits) for way in ways] == [("runsc", True), ("runsc", False), ("", True), ("", False)]


def test_a_way_that_works_is_told_with_its_figures(engine_settings: EngineSettings) -> None:
    said: list[str] = []
    found = find_working_settings(replace(engine_settings, starts_ms=0), said.append, times=1)
    assert found.starts_ms > 0
    assert "works, ready in" in said[-1]


def test_where_nothing_works_the_reasons_are_told() -> None:
    with pytest.raises(WorkbenchError, match="No container starts") as refused:
        find_working_settings(EngineSettings("docker", "/nonexistent/docker", image="none"), lambda line: None, times=1)
    assert "No such file" in refused.value.hint
