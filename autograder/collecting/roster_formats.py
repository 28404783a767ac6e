"""Identify the columns of rosters from Canvas, Moodle, Gradescope, GitHub Classroom and spreadsheets.

Sources: ``lib/gradebook_exporter.rb`` of instructure/canvas-lms for Canvas's gradebook, and the columns of
``user/action_redir.php`` of moodle/moodle for Moodle's participants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.collecting.names import readable
from autograder.collecting.tables import Table

#: the names of columns, in lower case. Our own names come first
_NAMES = {
    "first_name": (
        *("first_name", "first name", "firstname", "given name", "vorname", "prénom", "nombre", "voornaam"),
        *("nome", "fornavn", "förnamn", "imię"),
    ),
    "last_name": (
        *("last_name", "last name", "lastname", "surname", "family name", "nachname", "nom", "nom de famille"),
        *("apellido(s)", "apellidos", "achternaam", "cognome", "sobrenome", "etternavn", "efternavn", "efternamn"),
        "nazwisko",
    ),
    "email": (
        *("email", "email address", "e-mail", "e-mail address", "e-mail-adresse", "adresse de courriel"),
        *("dirección de correo", "mail", "e-mailadres"),
    ),
    "infix": ("tussenvoegsel", "tussenvoegsels"),
    "name": (
        *("student", "student name", "name", "full name", "vollständiger name", "nom complet", "nombre completo"),
        *("naam", "volledige naam"),
    ),
    "group": ("group_name",),
}
#: columns that may serve as a student's id, the best first
_IDS = (
    *("display id", "id", "sis login id", "username", "user name", "login id", "login_id", "anmeldename"),
    *("benutzername", "benutzerkennung", "gebruikersnaam", "login", "identifier", "sid", "id number", "student id"),
    *("student_id", "student number", "id-nummer", "matrikelnummer", "matrikelnr", "matrikelnr.", "matrikel-nr."),
    *("matrikel", "matriculation number", "studentnummer", "numéro d'identification", "numéro d'étudiant"),
    *("número de id", "matricola", "student sis id", "sis user id", "user_id", "orgdefinedid", "github_username"),
    "integration id",
)
#: the columns of a user name. In a list of the instructor's own, it is the id
_USERNAMES = (
    *("username", "user name", "anmeldename", "benutzername", "benutzerkennung", "gebruikersnaam"),
    *("nom d'utilisateur", "nombre de usuario"),
)
#: Moodle's ID number, an institution's own number of a student. Moodle's import of grades can find students by it
_ID_NUMBERS = ("id number", "idnumber", "id-nummer", "numéro d'identification", "número de id")
#: the columns that name a computer or its desk. Its folder belongs to the student there, if there is a student
_SEATS = ("platz", "seat", "seat number", "computer", "rechner", "pc", "plaats")
#: Moodle's number for a participant of one assignment, which serves as an id only if the row has no other
_PARTICIPANT = re.compile(r"(?:participant|teilnehmer|deelnemer|participante|partecipante)\S*?\s?(?P<number>\d+)", re.I)
#: the columns of a student's number in the learning management system
_NUMBERS = ("lms_user_id", "canvas id", "canvas_id", "canvas_user_id")
#: the beginnings of the rows of Canvas's gradebook that are not students
_NOT_STUDENTS = ("points possible", "student, test", "test student", "manual posting")


@dataclass(frozen=True)
class Row:
    """One row of a roster, which describes a student.

    Attributes:
        line: the row's line in the file.
        also: other ids that a system may use for the student.
        group: the student's group in Canvas.
        id_number: the student's ID number in Moodle.
        username: the student's user name in the learning management system, empty if the roster does not have it.
        values: all values of the row, by column.
    """

    line: int
    id: str
    first_name: str
    last_name: str
    email: str
    lms_user_id: str
    also: tuple[str, ...]
    group: str
    id_number: str
    username: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Format:
    """The columns of a table, by their meaning. An empty string means that the table has no such column.

    Attributes:
        ids: the columns of the id, the best first. A row uses the first one that has a value.
        number: the column of the system's number.
        infix: the column of the part between the names, as in Dutch lists.
        seats: the columns that name the student's computer.
        id_number: the column of Moodle's ID number.
        username: the column of the user name.
    """

    ids: tuple[str, ...]
    number: str
    first_name: str
    last_name: str
    email: str
    name: str
    infix: str = ""
    group: str = ""
    workspaces: tuple[str, ...] = ()
    id_number: str = ""
    username: str = ""

    def in_words(self) -> str:
        """Describe the meaning of the columns in one line."""
        said = {
            "id": self.ids[0] if self.ids else "",
            "lms_user_id": self.number,
            "name": self.name if not self.last_name else "",
            "first_name": self.first_name,
            "last_name": self.last_name,
            "email": self.email,
        }
        return ", ".join(f"{column} = {what}" for what, column in said.items() if column)


def format_of(table: Table) -> Format | None:
    """Identify the columns of a table. Return None if no column can be a student's id."""
    columns = {" ".join(name.casefold().split()): name for name in reversed(table.columns) if name}

    def first(names: Iterable[str]) -> str:
        return next((columns[name] for name in names if name in columns), "")

    is_canvas = "student" in columns and "id" in columns
    number = columns["id"] if is_canvas else first(_NUMBERS)
    if not number and "student name" in columns and "student id" in columns:  # Canvas's class list
        number = columns["student id"]
    ids = [columns[name] for name in _IDS if name in columns and columns[name] != number]
    if is_canvas or (not ids and number):
        ids.append(number)
    if "id" not in columns or _has_participants(table, columns["id"]):
        ids = _complete_first(table, [*ids, *filter(None, [first(_NAMES["email"])])])
    if not ids:
        return None
    names = {what: first(_NAMES[what]) for what in ("first_name", "last_name", "email", "name", "infix", "group")}
    if names["first_name"] and names["name"] and not names["last_name"]:  # as in "Name, Vorname"
        names["last_name"], names["name"] = names["name"], ""
    workspaces = tuple(columns[name] for name in _SEATS if name in columns)
    own = "" if is_canvas else columns.get("id", "")
    username = first(_USERNAMES) or ("" if _has_participants(table, own) else own)
    return Format(tuple(ids), number, **names, workspaces=workspaces, id_number=first(_ID_NUMBERS), username=username)


def _complete_first(table: Table, ids: Sequence[str]) -> list[str]:
    """Sort columns: first those with a value in every row, then the others, and last those of participant numbers."""
    return sorted(
        ids,
        key=lambda column: (
            _has_participants(table, column),
            not all(row.get(column) for _, row in table.rows),
        ),
    )


def _has_participants(table: Table, column: str) -> bool:
    """Return whether a column contains Moodle's participant numbers."""
    values = [said for _, row in table.rows if (said := row.get(column))]
    return bool(values) and all(_PARTICIPANT.fullmatch(value) for value in values)


def rows_of(table: Table, form: Format) -> tuple[list[Row], list[str]]:
    """Return the students of a table, and the names of the rows that are not students.

    This is where every name in a roster is made `readable`.
    """
    rows, skipped = list[Row](), list[str]()
    for line, written in table.rows:
        values = {column: readable(said) for column, said in written.items()}
        name = values.get(form.name, "") if form.name else ""
        if form.name and name.casefold().startswith(_NOT_STUDENTS):
            skipped.append(name)
            continue
        if form.name and not name and not any(values.get(column) for column in (*form.ids, form.number) if column):
            continue  # Canvas's lines of remarks under the column names
        first, last = values.get(form.first_name, ""), values.get(form.last_name, "")
        if infix := values.get(form.infix, ""):
            last = f"{infix} {last}"
        if name and not (first or last):
            first, last = _first_and_last(name)
        found = [_plain(values.get(column, "")) for column in form.ids]
        column, student = next(((column, said) for column, said in zip(form.ids, found, strict=True) if said), ("", ""))
        email = values.get(form.email, "") or (student if "@" in student else "")
        if column == form.email:
            student = email.partition("@")[0]
        number = _plain(values.get(form.number, "")) if form.number else ""
        if (
            not student and not (first and last) and "id" not in form.ids
        ):  # Classroom's "Points", or a computer nobody used
            skipped.append(first or last or next(filter(None, values.values())))
            continue
        if _PARTICIPANT.fullmatch(student):
            student = student.replace("/", "_")  # as Moodle itself writes it in names of files
        others = [*found, *(values.get(workspace, "") for workspace in form.workspaces)]
        also = tuple(dict.fromkeys(said for said in others if said and said not in (student, number, email)))
        group, id_number = values.get(form.group, ""), _plain(values.get(form.id_number, ""))
        username = _plain(values.get(form.username, ""))
        rows.append(Row(line, student, first, last, email, number, also, group, id_number, username, values))
    return rows, skipped


def _first_and_last(name: str) -> tuple[str, str]:
    """Return the first and last name of *Lee, Kim* or *Kim Lee*."""
    last, comma, first = name.partition(",")
    if comma:
        return first.strip(), last.strip()
    first, _, last = name.rpartition(" ")
    return first.strip(), last.strip()


def _plain(said: str) -> str:
    """Undo what systems do to an id: Brightspace puts a # in front, and spreadsheets turn 101 into 101.0."""
    said = said.removeprefix("#")
    return said.removesuffix(".0") if said.removesuffix(".0").isdigit() else said


def participant_number(said: str) -> str:
    """Return the number in Moodle's *Participant 57*, or an empty string for any other id."""
    found = _PARTICIPANT.fullmatch(said)
    return found["number"] if found else ""
