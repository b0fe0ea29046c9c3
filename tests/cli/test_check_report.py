"""Whatever a server says, the report is XML that others can read."""

from __future__ import annotations

from xml.etree import ElementTree

from workbench.cli.saved_call_checks import CallCheck, CheckOutcome, junit_xml


def test_strange_characters_make_no_broken_xml():
    words = ("a\x00\x1b[31m <b> & \ud800 \uffff ]]>", '"quoted"')
    report = junit_xml([CallCheck('calls/o"dd&/<na\x01me>.json', CheckOutcome.FAILED, words, "s", "t")])
    (case,) = ElementTree.fromstring(report).iter("testcase")
    assert case.get("name") == "<na�me>"
    assert case.find("failure").get("message") == "a��[31m <b> & � � ]]>"
