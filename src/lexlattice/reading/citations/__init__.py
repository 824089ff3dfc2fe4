"""Citations: how provisions are cited, and what acts cite and define.

Writing a citation: `forms.cite` writes the levels of a provision ("Article 5(1)(a)") in any of the 24 languages;
`act_names` adds the act ("… of Regulation (EU) 2016/679"), and `eli` knows the addresses of both.

Reading citations is a pipeline, one module for each step:

1. `vocabulary` compiles the words of a language: which word can mean a level, an ordinal, "and", "this", an act …
2. `tokens` splits a text into words with these roles, numbers, and acts cited by number (`tokenize`).
3. `levels` finds a word for a level together with its numbers: "points (a) and (b)" (`find_groups`).
4. `mentions` joins groups into mentions of provisions, and finds the act they belong to (`find_mentions`).
5. `resolve` turns a mention into ids of the act: "paragraph 2" in Article 5 is `art-5.par-2` (`ProvisionIndex`).

Three results are built on it: `lookup` finds a provision by a citation that a user typed (`Act.find`), `references`
finds all cross-references of an act (`Act.references`), and `definitions` the terms it defines (`Act.definitions`).
`amended` knows where a reference in an amending act points to: into the act that is amended.
"""
