"""What is replaced in other packages for a while, and put back."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

_ABSENT = object()


class Patches:
    """Attributes that were replaced."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, holder: Any, name: str, value: Any) -> None:
        """Replace an attribute.

        Parameters
        ----------
        holder : object
        name : str
        value : object
        """
        self._before.append((holder, name, vars(holder).get(name, _ABSENT)))
        setattr(holder, name, value)

    def set_item(self, holder: MutableMapping[str, Any], key: str, value: Any) -> None:
        """Replace what a mapping has under a key.

        Parameters
        ----------
        holder : mapping
        key : str
        value : object
        """
        self._before.append((holder, key, holder.get(key, _ABSENT)))
        holder[key] = value

    def set_setting(self, holder: Any, name: str, value: Any) -> None:
        """Replace an attribute that its holder keeps in its own way.

        Parameters
        ----------
        holder : object
        name : str
        value : object
        """
        self._before.append((holder, name, getattr(holder, name)))
        setattr(holder, name, value)

    def set_body(self, function: Any, other: Any) -> None:
        """Have a function do what another one does, for those as well who have imported it already.

        Parameters
        ----------
        function, other : function
            Neither of them made in another function.
        """
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.set_setting(function, name, getattr(other, name))

    def undo(self) -> None:
        """Put everything back, the latest first."""
        while self._before:
            holder, name, value = self._before.pop()
            if isinstance(holder, MutableMapping):
                if value is _ABSENT:
                    del holder[name]
                else:
                    holder[name] = value
            elif value is _ABSENT:
                delattr(holder, name)
            else:
                setattr(holder, name, value)
