"""Words that are also names: alone in a text they are almost never the person, so such a part is not swept."""

from __future__ import annotations

_WORDS = """
welcome password private internal premium standard changeme letmein secret string number
the and for but not you all any can had her was one our out day get has him his how man new now old see two way who
boy did its let put say she too use may june july april august march will mark grant hope faith grace joy rose lily
iris daisy violet ivy holly amber ruby pearl jade crystal dawn summer autumn winter spring sunny sky star rain snow
storm river lake brook forest wood woods stone rock hill hall park field fields meadow green white black brown gray
grey silver gold golden young long short small little rich power price cash sterling bill bob jack rob pat sue art
gene ray dean earl duke king queen prince knight bishop pope abbot page porter cook baker butcher miller mason
carpenter shepherd fisher hunter gardener taylor tailor smith weaver turner potter cooper fuller carter driver banks
bond chance frank ernest christian paris london berlin madrid rome milan vienna florence sydney austin dallas
houston denver phoenix orlando madison jackson lincoln washington hamilton kent chester york lancaster england
ireland scotland wales france spain holland german french english irish scott welsh jordan israel china india kenya
chad georgia virginia carolina dakota montana savannah brooklyn chelsea camden angel christmas sunday monday friday
tuesday wednesday thursday saturday love best good hand head foot bell ball book bookman case church castle cross
drew earth east west north south fair fish fox wolf lamb bird swan crane drake hawk martin robin jay bear buck colt
frost gates glass guy harbor heart house hughes john keys lane law lawless major marine max mill moon moore more
moss nail nest noble nova olive parish peace perry pike pine plant pond pool post rush sage sand sands sharp shaw
shore single smart son sparks speed staff steel strong swift temple thorn tide tower town trace tree trip true vale
vance wade walker wall ward warren water watt webb well wells wise world worth team support sales service group
company order customer user admin test demo data type name email phone note item items list table status open closed
done high low medium first last total count error python value none false request response server client result
account contact address street road avenue manager director engineer doctor miss mrs mister sir madam dear hello
thanks thank regards sincerely kind yours please from with this that there
"""
WORDS = frozenset(_WORDS.split())
