"""Pictures of what is on record, as text: HTML and SVG that ask nothing of a network.

In      numbers, source texts, findings
Out     HTML and SVG
Pure    yes: equal input gives equal bytes
Spec    007-F1, 007-F5
"""
