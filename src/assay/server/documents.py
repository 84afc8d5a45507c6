"""Documents by the name that the service gives them, never by their place on this machine.

In      names of documents, a retriever over folders
Out     what it found, with each file named `NAME/FILE`
Effects those of the retriever
Spec    009-H9

What a caller is told, what stands in a prompt and what is recorded are the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.answers.retrieval import Condition, Progress, Retrieved, Retriever
from assay.errors import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDocuments:
    """A `Retriever` whose documents are names."""

    retriever: Retriever
    folders: Mapping[str, str]

    def folder(self, name: str) -> str:
        """The folder behind a name.

        Raises:
            NotFoundError: nothing of this name may be asked over.
        """
        found = self.folders.get(name)
        if found is None:
            known = ", ".join(sorted(self.folders)) or "none is configured"
            raise NotFoundError(
                "there are no documents of this name", hint=f"{known} (ASSAY_SERVE_DOCUMENTS)"
            )
        return found

    async def retrieve(
        self,
        question: str,
        docs: Sequence[str],
        *,
        top_k: int,
        where: Sequence[Condition] = (),
        progress: Progress | None = None,
    ) -> Retrieved:
        """As the retriever behind it; a condition on `file` names it as it is told here."""
        (name,) = docs
        folder = self.folder(name)
        asked = [
            replace(each, value=_place(each.value, name, folder)) if each.key == "file" else each
            for each in where
        ]
        found = await self.retriever.retrieve(
            question, [folder], top_k=top_k, where=asked, progress=progress
        )
        bundle = replace(
            found.bundle,
            results=tuple(
                replace(
                    chunk,
                    source_reference=None
                    if chunk.source_reference is None
                    else _name(chunk.source_reference, name, folder),
                )
                for chunk in found.bundle.results
            ),
        )
        places = {
            chunk: replace(place, file=_name(place.file, name, folder))
            for chunk, place in found.places.items()
        }
        left_out = tuple(
            replace(each, file=_name(each.file, name, folder)) for each in found.left_out
        )
        return replace(found, bundle=bundle, places=places, left_out=left_out)


def _name(file: str, name: str, folder: str) -> str:
    """*file*, which stands in *folder*, under the name of the documents.

    Example:
        >>> _name("/srv/docs/rules/pool.md, page 2", "house", "/srv/docs/")
        'house/rules/pool.md, page 2'
    """
    root = folder.rstrip("/")
    if file == root:
        return name
    if file.startswith(f"{root}/"):
        return f"{name}/{file[len(root) + 1 :]}"
    return f"{name}/{Path(file).name}"


def _place(file: str, name: str, folder: str) -> str:
    return f"{folder.rstrip('/')}/{file[len(name) + 1 :]}" if file.startswith(f"{name}/") else file
