"""What single programs do with their arguments. `HANDLERS` maps the name of a program to its handler."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable
from typing import Final

from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.shell.command_places import CommandPlace
from workbench.analysis.shell.command_reader import (
    CommandCall,
    CommandReader,
    Handler,
    code_folders,
    loads_code,
    paths_of,
    shorten,
)
from workbench.analysis.shell.shell_parser import Word
from workbench.analysis.shell.text_programs import awk_only_prints, sed_only_edits
from workbench.analysis.tables.dangerous_texts import CHANGING_SQL, DESTROYING_SQL, INNER_ADDRESS
from workbench.permissions.sql_statements import only_reads
from workbench.permissions.word_sets import names
from workbench.records import Risk

_LOW, _MEDIUM, _HIGH, _CRITICAL = Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL
_PICKS_LINES = names("grep egrep head tail sort uniq")  # they print some of the lines that they read
_MOST_FOLDERS = 4  # of `find` whose paths are told apart
_LOOPBACK = re.compile(
    r"^(?:\w+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0)(?::\d+)?(?:[/?#]|$)"
)
_HOST = re.compile(r"^(?:[\w+.-]+://)?(?:[^/@]*@)?(\[[^\]]+\]|[^/:?#]+)")


# ── shells, interpreters and programs that start others ──────────────────────────────────────────
def _shell(reader: CommandReader, call: CommandCall) -> None:
    if call.has("--version", "--help"):
        return reader.read([])
    for number, argument in enumerate(call.arguments):
        if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*", argument):
            rest = [one for one in call.arguments[number + 1 :] if not re.fullmatch(r"[-+][A-Za-z]+", one)]
            return reader.evaluate(rest[0] if rest else None, call.command, "shell commands", shell=True)
        takes_next = number and re.fullmatch(r"[-+][A-Za-z]*[oO]|--rcfile|--init-file", call.arguments[number - 1])
        if not argument.startswith(("-", "+")) and not takes_next:
            break
    if call.has("--rcfile", "--init-file"):
        reader.run_file(call.value("--rcfile", "--init-file") or HOLE, "Runs the script")
    files = [] if call.has("-s") else call.operands(("-o", "-O", "+o", "+O", "--rcfile", "--init-file"))
    if files and not files[0].startswith("+"):
        return _script_file(reader, call, files[0])
    return reader.evaluate(None, call.command, "shell commands", shell=True)


def _script_file(reader: CommandReader, call: CommandCall, file: str) -> None:
    if HOLE in file or file == "-" or file.startswith("/dev/"):
        return (
            reader.evaluate(None, call.command, "text", shell=False)
            if call.command.input_from
            else reader.run_file(file, "Runs the script")
        )
    return reader.run_file(file, "Runs the script")


def _eval(reader: CommandReader, call: CommandCall) -> None:
    if call.arguments:
        reader.evaluate(" ".join(call.arguments), call.command, "shell commands", shell=True)


def _source(reader: CommandReader, call: CommandCall) -> None:
    file = call.arguments[0] if call.arguments else HOLE
    if (HOLE in file or file.startswith("/dev/")) and call.command.input_from:
        reader.evaluate(None, call.command, "text", shell=False)
        return
    if reader.places.classify(file) not in (CommandPlace.OUTSIDE, CommandPlace.STARTUP):
        reader.run_file(file, "Runs the script")
        return
    inside = reader.places.classify(file) in (CommandPlace.PROJECT, CommandPlace.OUTSIDE, CommandPlace.STARTUP)
    reader.add(f"Runs the script {reader.places.show(file)}", _MEDIUM if inside else _HIGH)


def _nested_text(reader: CommandReader, call: CommandCall) -> None:
    """`alias x='…'`, `trap '…' EXIT`: the text runs later."""
    if call.name == "trap":
        texts = [one for one in call.operands() if " " in one or one == call.operands()[0]][:1]
        texts = [one for one in texts if one not in ("-", "")]
    else:
        texts = [one.partition("=")[2] for one in call.operands() if "=" in one]
    for text in texts:
        reader.evaluate(text, call.command, "shell commands", shell=True)


_PROGRAM_OPTIONS = {  # options that take code as their value
    "python": "-c", "node": "-e --eval -p --print", "deno": "", "bun": "-e --eval", "ruby": "-e", "perl": "-e -E",
    "php": "-r", "lua": "-e", "Rscript": "-e", "osascript": "-e", "pwsh": "-c -Command", "tclsh": "", "swift": "-e",
    "ts-node": "-e --eval", "tsx": "-e --eval", "julia": "-e", "elixir": "-e", "ghci": "-e",
}  # fmt: skip
_READING_MODULES = names(
    "json.tool venv ensurepip this site sysconfig platform tokenize ast dis calendar textwrap py_compile"
    " compileall tabnanny"
)


def _interpreter(reader: CommandReader, call: CommandCall) -> None:
    what = "Python code" if call.name == "python" else f"{call.name} code"
    options = _PROGRAM_OPTIONS[call.name].split()
    if (
        not call.command.input_from
        and call.arguments
        and all(one in ("--version", "-V", "-v", "--help", "-h", "-VV") for one in call.arguments)
    ):
        return None
    for number, argument in enumerate(call.arguments):
        joined = [one for one in options if len(one) == 2 and re.fullmatch(rf"-[A-Za-z]*{one[1]}.*", argument)]
        named, given, value = argument.partition("=")
        if named in options or (joined and not argument.startswith("--")):
            rest = argument.partition(joined[0][1])[2] if joined and named not in options else ""
            rest = value if given and named in options else rest
            code = rest or next(iter(call.arguments[number + 1 :]), None)
            return reader.evaluate(code, call.command, what, shell=False)
        if call.name == "python" and re.fullmatch(r"-[A-Za-z]*m", argument):
            return _python_module(reader, call, call.arguments[number + 1 :])
        if not argument.startswith("-") or argument == "-":
            break
    operands = call.operands(("-W", "-X", "-r", "--require", "-I", "--loader", "--import"))
    if call.name == "node" and call.arguments[:1] in (["--check"], ["-c"]):
        return reader.read(operands)
    if call.name in ("deno", "bun", "swift") and operands and operands[0] not in ("run",):
        return reader.add(f"Runs {call.text}, which runs code of the project", _MEDIUM)
    operands = operands[1:] if call.name in ("deno", "bun") else operands
    unnamed = operands[:1] and (HOLE in operands[0] or operands[0].startswith("/dev/"))
    if operands and operands[0] != "-" and not (unnamed and call.command.input_from):
        if re.match(r"\w+://", operands[0]):
            return reader.add(f"Runs code from {shorten(operands[0])}", _CRITICAL, "network")
        return reader.run_file(operands[0])
    if any(one.startswith("--") for one in call.arguments):
        reader.add(f"Runs {call.text}, which runs code of the project", _MEDIUM)
        if not call.command.input_from and not call.command.redirections:
            return None  # such as `node --test`
    return reader.evaluate(None, call.command, what, shell=False)


def _python_module(reader: CommandReader, call: CommandCall, rest: list[str]) -> None:
    module = rest[0] if rest else HOLE
    if module in ("pip", "pipx", "uv", "pytest", "tox", "nox", "poetry"):
        return reader.read_inner(rest, call.command)
    if module == "http.server":
        return reader.add("Serves files on the network", _MEDIUM, "network")
    if module in _READING_MODULES and reader.takes_from_python([module]):
        return reader.write(paths_of(rest[1:]))
    return reader.add(f"Runs the Python module {shorten(module)}", _MEDIUM if HOLE not in module else _HIGH)


_WRAPPERS: dict[str, tuple[str, int]] = {  # options with a value, and operands before the command
    "nohup": ("", 0), "nice": ("-n --adjustment", 0), "ionice": ("-c -n -p --class --classdata", 0), "setsid": ("",
        0),
    "stdbuf": ("-i -o -e --input --output --error", 0), "timeout": ("-s -k --signal --kill-after", 1), "time": ("-o "
        "-f", 0),
    "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0), "busybox": ("", 0), "caffeinate": ("-t -w", 0),
    "watch": ("-n --interval", 0), "unbuffer": ("", 0), "chrt": ("", 1), "taskset": ("-c", 1), "strace": ("-o -e -p "
        "-s", 0),
    "xvfb-run": ("-n -s -e -f", 0), "dbus-run-session": ("", 0), "hyperfine": ("-w -r -p -n -m -M", 0),
    "unshare": ("", 0), "systemd-run": ("-p -u --unit", 0), "script": ("-c", 1), "faketime": ("", 1), "setarch":
        ("", 1),
    "arch": ("", 0), "chronic": ("", 0), "ltrace": ("-o -e -p -s", 0), "rlwrap": ("", 0), "not": ("", 0),
}  # fmt: skip


def _wrapper(reader: CommandReader, call: CommandCall) -> None:
    options, operands = _WRAPPERS[call.name]
    if call.name == "command" and call.arguments[:1] in (["-v"], ["-V"]):
        return None
    if call.name == "script" and (text := call.value("-c", "--command")) is not None:
        reader.write(call.operands(("-c", "--command"))[:1])
        return reader.evaluate(text, call.command, "shell commands", shell=True)
    if call.name in ("strace", "ltrace", "time") and (file := call.value("-o", "--output")) is not None:
        reader.write([file])
    if call.name == "script":
        reader.write(call.operands(("-c",))[:1])
    rest = call.after_options(options.split(), operands)
    if not rest and call.has("-p", "-P", "--pid", "--attach"):
        return reader.add(f"Changes or watches a running process: {call.text}", _HIGH)
    if call.name == "hyperfine":
        for one in rest:
            reader.evaluate(one, call.command, "shell commands", shell=True)
        return None
    if call.name == "watch" and len(rest) == 1:
        return reader.evaluate(rest[0], call.command, "shell commands", shell=True)
    return reader.read_inner(rest, call.command)


def _as_other_user(reader: CommandReader, call: CommandCall) -> None:
    rest = call.after_options(
        names("-u -g -h -p -C -r -t -U -D -R --user --group --host --prompt --chdir --other-user")
    )
    while rest and re.match(r"[A-Za-z_]\w*=", rest[0]):
        rest = rest[1:]
    reader.add(f"Runs as another user: {shorten(' '.join(rest)) or 'a shell'}", _HIGH)
    if call.name == "su":
        text = call.value("-c", "--command")
        return reader.evaluate(text, call.command, "shell commands", shell=True) if text is not None else None
    if call.has("-e", "--edit") or call.name == "sudoedit":
        return reader.write(rest)
    return reader.read_inner(rest, call.command)


def _env(reader: CommandReader, call: CommandCall) -> None:
    text = call.value("-S", "--split-string")
    text = text or next((match[1] for one in call.arguments if (match := re.match(r"-[iv0]+S(.+)", one, re.S))), None)
    if text is not None:
        return reader.evaluate(text, call.command, "shell commands", shell=True)
    rest = call.after_options(("-u", "--unset", "-C", "--chdir"))
    while rest and "=" in rest[0] and not rest[0].startswith("="):
        name, _, value = rest[0].partition("=")
        reader.read_assignments([(name, Word(value))], passed_on=True)
        rest = rest[1:]
    if rest and (folder := call.value("-C", "--chdir")) is not None:
        here, reader.places = reader.places, reader.places.moved(folder)
        reader.read_inner(rest, call.command)
        reader.places = here
        return None
    if rest:
        return reader.read_inner(rest, call.command)
    return reader.add("Shows environment variables, which may be secret", _MEDIUM, "secret")


def _xargs(reader: CommandReader, call: CommandCall) -> None:
    options = names("-I -n -P -d -a -L -s -E --max-args --max-procs --max-chars --delimiter --arg-file")
    rest = call.after_options(options)
    if call.name == "parallel":
        rest = rest[: rest.index(":::")] if ":::" in rest else rest
        if len(rest) == 1:
            return reader.evaluate(rest[0].replace("{}", HOLE), call.command, "shell commands", shell=True)
    own = CommandCall(call.name, call.arguments[: len(call.arguments) - len(rest)], [], call.command)
    mark = next((one[10:] for one in own.arguments if one.startswith("--replace=")), "") or own.value("-I") or "{}"
    files = own.values("-a", "--arg-file")
    reader.read(files)
    paths = [HOLE] if files else _listed_paths(call)
    words = [path.join(one.split(mark)) for one in rest for path in (paths if mark in one else [""])]
    return reader.read_inner([*words, *paths] if words == rest else words, call.command) if rest else None


def _listed_paths(call: CommandCall) -> list[str]:
    """What the lines may be that `xargs` reads: paths below the folders that `find` lists, or anything."""
    sources = [one for one in call.command.input_from if one.words]
    while len(sources) == 1 and sources[0].words[0].text in _PICKS_LINES and len(sources[0].input_from) == 1:
        sources = [one for one in sources[0].input_from if one.words]
    if len(sources) != 1 or not all(word.known for word in sources[0].words):
        return [HOLE]
    words = [word.text for word in sources[0].words]
    if words[:2] in (["git", "ls-files"], ["git", "diff"]) or (words[0] in ("fd", "rg") and len(words) < 3):
        return ["./*"]
    if words[0] in ("rg", "grep") and re.search(r" -\w*l| --files", " ".join(words)):
        source = CommandCall(words[0], words[1:], [], sources[0])
        folders = _searched_files(source) or ["."]
        return [f"{one.rstrip('/')}/*" for one in folders] if len(folders) <= _MOST_FOLDERS else [HOLE]
    return [f"{folder}/*" for folder in _found_in(words[1:])] if words[0] == "find" else [HOLE]


def _found_in(arguments: list[str]) -> list[str]:
    """The folders that `find` searches, each with the name that it looks for if that is a sensitive one."""
    start = [one for one in itertools.takewhile(_is_folder, arguments) if one not in ("-L", "-P", "-H")] or ["."]
    named = [after for one, after in itertools.pairwise(arguments) if one in ("-name", "-iname", "-path", "-wholename")]
    found = [folder.rstrip("/") or "/" for folder in start] + [f"./{one}" for one in named if not one.startswith("*")]
    return found if len(found) <= _MOST_FOLDERS else [HOLE]


_FIND_NAMES = names("-name -iname -path -ipath -wholename -regex -iregex -newer -mtime -mmin -size -user -empty")


def _is_folder(one: str) -> bool:
    return not one.startswith(("-", "(", "!")) or one in ("-L", "-P", "-H")


def _find(reader: CommandReader, call: CommandCall) -> None:
    arguments = call.arguments
    number = len(list(itertools.takewhile(_is_folder, arguments)))
    folders = [one for one in arguments[:number] if one not in ("-L", "-P", "-H")] or ["."]
    below = [f"{one}/*" for one in _found_in(arguments)]
    reader.read(folders, "Lists files in")
    reader.read(call.values("-files0-from"))
    while number < len(arguments):
        one = arguments[number]
        if one == "-delete":
            chosen = any(after.strip("*.") for one, after in itertools.pairwise(arguments) if one in _FIND_NAMES)
            found = "found files" if chosen else "*"
            reader.delete([f"{folder.rstrip('/')}/{found}" for folder in folders], "Deletes {}")
        elif one in ("-fprint", "-fprintf", "-fls", "-fprint0"):
            reader.write(arguments[number + 1 : number + 2])
        elif one in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((at for at in range(number, len(arguments)) if arguments[at] in (";", "+")), len(arguments))
            for path in below:
                words = [path.join(word.split("{}")) for word in arguments[number + 1 : end]]
                reader.read_inner(words, call.command)
            number = end
        number += 1


def _fd(reader: CommandReader, call: CommandCall) -> None:
    options = ("-x", "--exec", "-X", "--exec-batch")
    for number, argument in enumerate(call.arguments):
        if (value := CommandCall("fd", [argument], [], call.command).value(*options)) is not None:
            rest = [*([value] if value else []), *call.arguments[number + 1 :]]
            return reader.read_inner([one.replace("{}", HOLE) for one in rest] + [HOLE], call.command)
    return reader.read(call.operands(("-e", "-t", "-d", "-E", "-g"))[1:], "Lists files in")


# ── files ────────────────────────────────────────────────────────────────────────────────────────
def _remove(reader: CommandReader, call: CommandCall) -> None:
    deep = call.has("-r", "-R", "--recursive")
    verb = "Deletes {} and everything in it" if deep and len(call.operands()) == 1 else "Deletes {}"
    verb = "Overwrites and deletes {}" if call.name == "shred" else verb
    reader.delete(call.operands(("-n", "-s")), verb)


def _move(reader: CommandReader, call: CommandCall) -> None:
    targets = [call.value("-t", "--target-directory")] if call.has("-t", "--target-directory") else []
    operands = call.operands(("-t", "--target-directory", "-S", "-m", "-o", "-g"))
    sources, into = (operands, [one for one in targets if one]) if targets else (operands[:-1], operands[-1:])
    if call.name == "mv":
        reader.delete(sources, "Moves {}")
        if any(reader.places.classify(one) is CommandPlace.NOTHING for one in into):
            reader.add(f"Throws away {', '.join(map(reader.places.show, sources[:3]))}", _HIGH)
    elif call.name == "ln":
        for source in sources:
            if reader.places.classify(source) not in (CommandPlace.PROJECT, CommandPlace.ROOT, CommandPlace.SCRATCH):
                reader.add(f"Makes a link to {reader.places.show(source)}", _MEDIUM)
    else:
        reader.read(sources, "Copies")
    reader.write(into)
    for folder in into:
        _write_into(reader, sources, folder, deep=call.name in ("mv", "ditto") or call.has("-r", "-R", "-a"))


def _write_into(reader: CommandReader, sources: list[str], folder: str, *, deep: bool) -> None:
    """The files that copying or moving makes in a folder, if the target is one. `deep`: also what is in the sources."""
    if deep and any(re.search(r"(?:^|/)\.{0,2}/?$", source) for source in sources):  # everything in a folder
        reader.write_unnamed(folder, "the copied folder")
    names_ = [source.rstrip("/").rpartition("/")[2] for source in sources]
    paths = [f"{folder.rstrip('/')}/{name}" for name in names_ if name not in ("", ".", "..")]
    reader.write(one for one in paths if reader.places.classify(one) in (CommandPlace.STARTUP, CommandPlace.SECRET))


_PATCH_VALUES = names("-p -i -o -d -r -B -F -D -Y -z -V -g --strip --input --output --directory --reject-file --prefix")


def _write_operands(reader: CommandReader, call: CommandCall) -> None:
    if call.has("--filter", "-TT", "--unzip-command") or any(one.startswith("-TT") for one in call.arguments):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    if call.name == "patch":
        if not call.certainly("--dry-run", taking=_PATCH_VALUES):
            reader.write_unnamed(call.value("-d", "--directory") or ".", "the patch")
        reader.write(call.values("-o", "--output", "-d", "--directory", "-r", "--reject-file"))
    reader.write(call.operands(("-m", "-s", "--size", "-d", "-t", "-r")))


def _permissions(reader: CommandReader, call: CommandCall) -> None:
    mode, *paths = call.operands() or [HOLE]
    reader.write(paths, "Changes permissions of")
    wide = re.search(r"[0-7]?[0-7][0-7][2367]$|[2467][0-7]{3}$|[ugoa]*[+=][rwxX]*s|[oa]\+?[rwx]*w", mode)
    beyond = [one for one in paths if reader.places.classify(one) in (CommandPlace.SYSTEM, CommandPlace.ROOT)
              and not set(reader.places.resolve(one)) <= set(reader.places.roots)]  # fmt: skip
    if beyond and call.has("-R", "--recursive"):
        reader.add(f"Changes who may use everything in {', '.join(map(reader.places.show, beyond[:3]))}", _CRITICAL)
    elif wide or call.name in ("chown", "chgrp") or HOLE in mode or mode == "777":
        reader.add(f"Changes who may use {', '.join(map(reader.places.show, paths[:3]))}", _HIGH)


def _dd(reader: CommandReader, call: CommandCall) -> None:
    for argument in call.arguments:
        key, _, value = argument.partition("=")
        if key == "if":
            reader.read([value])
        elif key == "of":
            reader.write([value], "Overwrites")


def _archive(reader: CommandReader, call: CommandCall) -> None:
    """`tar` in all its spellings."""
    if call.has(
        "--to-command", "--checkpoint-action", "--use-compress-program", "-I", "-F", "--info-script", "--rsh-command"
    ):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    joined = "" if not call.arguments or call.arguments[0].startswith("-") else call.arguments[0]
    operands = call.operands(names("-f -C -T -X -b -g -H -V -K -L -N --file --directory --files-from --exclude"))
    operands = operands[1:] if joined else operands
    # `tar xfC ARCHIVE FOLDER`: the values follow in the order of the letters
    given = {one: operands.pop(0) if operands else HOLE for one in joined if one in "fCTXbgIFHVKLN"}
    lists = "t" in joined or call.has("-t", "--list")
    extracts = "x" in joined or call.has("-x", "--extract", "--get")
    file = given.get("f", call.value("-f", "--file"))
    if given.keys() & set("IF"):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    if re.match(r"[\w.@-]+:", file or ""):
        reader.add(f"Copies to or from {shorten(file or '')}", _HIGH, "network")
    reader.write(call.values("--index-file", "--listed-incremental", "-g"))
    if call.has("-P", "--absolute-names"):
        reader.add("Unpacks or packs files at absolute paths", _HIGH)
    if lists or extracts:
        reader.read([file] if file and file != "-" else [])
        if extracts:
            folders = [*call.values("-C", "--directory", "--one-top-level"), *given.get("C", "").split()]
            for folder in folders or ["."]:
                reader.write([folder], "Unpacks files into")
                reader.write_unnamed(folder, "the archive")
        return
    if call.has("--remove-files"):
        reader.delete(operands)
    reader.read([*operands, *call.values("-C", "--directory", "-T", "--files-from"), *given.get("T", "").split()])
    reader.write([file] if file and file != "-" else [])


def _unzip(reader: CommandReader, call: CommandCall) -> None:
    if call.name == "unzip":
        operands = call.operands(("-d", "-x", "-P"))
        shows = call.certainly("-l", "-t", "-v", "-Z", "-p", taking=("-d", "-x", "-P"))
        folder = call.value("-d") or "."
    else:  # the first word is what they do
        verb, *operands = [one for one in call.arguments if not one.startswith("-")] or [""]
        shows = verb in ("l", "t", "lb", "lt", "v", "vt", "vb", "i", "b", "h", "p")
        folder = next((one[2:] for one in call.arguments if re.match(r"-o[^+-]", one)), ".")
        if verb not in ("x", "e") and not shows:
            return reader.write(operands, "Changes the archive")
    reader.read(operands[:1])
    if not shows:
        reader.write([folder], "Unpacks files into")
        reader.write_unnamed(folder, "the archive")
    return None


_SED_FLAGS = names("""--quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --posix
    --debug --follow-symlinks --sandbox --binary --help --version""")


def _sed(reader: CommandReader, call: CommandCall) -> None:
    scripts: list[str] = []
    files: list[str] = []
    operands: list[str] = []
    suffix, strange, left = None, False, iter(call.arguments)
    for argument in left:
        name, given, value = argument.partition("=")
        letters = re.match(r"-([nErsuzb]*)([efilI]?)(.*)", argument, re.S)
        if argument == "--":
            operands += left
        elif argument == "-" or not argument.startswith("-"):
            operands.append(argument)
        elif len(name) > 4 and "--expression".startswith(name):
            scripts.append(value if given else next(left, HOLE))
        elif len(name) > 4 and "--file".startswith(name):
            files.append(value if given else next(left, HOLE))
        elif len(name) > 4 and "--in-place".startswith(name):
            suffix = value
        elif letters and letters[2] in ("e", "f", "l"):
            value = letters[3] or next(left, HOLE)
            {"e": scripts, "f": files, "l": []}[letters[2]].append(value)
        elif letters and letters[2]:
            suffix = letters[3]
        elif argument not in _SED_FLAGS and not (letters and not letters[3]):
            strange = not argument.startswith("--line-length")
    if suffix == "" and operands[:1] == [""]:  # another sed takes the suffix of copies as the next word
        operands.pop(0)
    if not scripts and not files and operands:
        scripts.append(operands.pop(0))
    for file in files:
        reader.run_file(file, "Runs the sed script")
    program = "\n".join(scripts)
    if strange or HOLE in program or not sed_only_edits(program):
        reader.add(f"Runs a sed program that may start commands or write files: {shorten(program)}", _HIGH)
    if suffix and "/" in suffix:
        reader.write([suffix.replace("*", HOLE)], "Copies what it changes to")
    (reader.write if suffix is not None else reader.read)(operands)


def _awk(reader: CommandReader, call: CommandCall) -> None:
    loading = r"-[lioEpdDLW].*|--(?:load|incl|outp|exec|pret|prof|dump|debu|file).*"
    if any(re.fullmatch(loading, one, re.S) for one in itertools.takewhile(lambda one: one != "--", call.arguments)):
        reader.add(f"Runs {call.text}, whose options load code or write files", _HIGH)
    operands = call.operands(("-F", "-v", "-f", "--file", "-i", "-e", "--source", "--field-separator", "--assign"))
    if (file := call.value("-f", "--file", "-i")) is not None:
        reader.run_file(file, "Runs the awk program")
    else:
        program = "\n".join(call.values("-e", "--source")) or (operands.pop(0) if operands else "")
        if HOLE in program or not awk_only_prints(program):
            reader.add(f"Runs an awk program that may start commands or write files: {shorten(program)}", _HIGH)
    reader.read([one for one in operands if "=" not in one])


def _searching(reader: CommandReader, call: CommandCall) -> None:
    """`grep` and others whose first operand is a pattern."""
    if call.name == "rg" and call.has("--pre"):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    files = _searched_files(call)
    reader.read(files or (["."] if call.has("-r", "-R", "--recursive") or call.name in ("rg", "ag", "ack") else []))
    operands = call.operands(_SEARCH_VALUES)
    if call.name in ("jq", "yq") and call.has("-i", "--inplace", "--in-place"):
        reader.write(files)
    if call.name == "yq" and any("load" in one for one in operands):
        reader.add("Reads files that the expression names", _MEDIUM)
    if call.name == "yq" and call.has("-s", "--split-exp"):
        reader.add("Writes files that the expression names", _HIGH)
    if call.name in ("jq", "yq") and operands and re.search(r"\$?\b(?:str)?env\b|\$ENV|envsubst", operands[0]):
        reader.add("Shows environment variables, which may be secret", _MEDIUM, "secret")


_SEARCH_VALUES = ("-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T", "--include", "--exclude", "--exclude-dir",
        "--type",
              "--glob", "--max-count", "-M", "--regexp", "--file", "--arg", "--argjson", "--context")  # fmt: skip


def _searched_files(call: CommandCall) -> list[str]:
    """The files and folders that `grep` and others search, and files with patterns."""
    operands = call.operands(_SEARCH_VALUES)
    given = any(one in call.arguments for one in ("-e", "-f", "--regexp", "--file", "--files"))
    files = operands if given else operands[1:]
    file = call.value("-f", "--file", "--from-file")
    return [*files, file] if file else files


def _sort(reader: CommandReader, call: CommandCall) -> None:
    if call.has("--compress-program"):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    if (file := call.value("-o", "--output")) is not None:
        reader.write([file])
    reader.read(call.operands(("-k", "-t", "-o", "-S", "-T")))


def _change_folder(reader: CommandReader, call: CommandCall) -> None:
    folder = next(iter(call.operands()), "~" if call.name == "cd" else HOLE)
    reader.places = reader.places.moved(HOLE if folder == "-" or call.has("-") else folder)


_INDEXED = names("let test [ [[ unset read wait printf mapfile readarray getopts declare export local readonly typeset")
_SETTERS = {  # options and words with which a program that shows something changes it, or starts another program
    "date": r"-[a-zA-Z]*s|--set.*", "hostname": r"[^-].*|-[bF].*", "sysctl": r"-w|-p.*|--system|[^-].*=.*",
    "hash": r"-[a-z]*p", "complete": r"-[CFW].*", "compgen": r"-[CFW].*", "bind": r"-[xf].*|.*:.*",
    "shopt": r"expand_aliases",
    "man": r"-[PH].*|--pager.*|--html.*", "mapfile": r"-C.*", "readarray": r"-C.*", "stty": r"-F", "tput": r"-S",
}  # fmt: skip


_FILE_OPTIONS = {"date": ("-f", "--file"), "info": ("-f", "--file"), "logger": ("-f", "--file")}


def _nothing(reader: CommandReader, call: CommandCall) -> None:
    """Builtins and programs that show something harmless, or change only the shell itself."""
    _check_indexes(reader, call)
    reader.read(call.values(*_FILE_OPTIONS.get(call.name, ())))
    if call.name in ("bc", "man", "info"):  # the others of `man` and `info` are names of pages
        reader.read(one for one in call.operands() if call.name == "bc" or "/" in one or one.startswith((".", HOLE)))
    named = call.values("-v") if call.name == "printf" else call.operands()
    if call.name in ("read", "mapfile", "readarray", "printf", "getopts"):
        risky = [one for one in named if HOLE in one or (loads_code(one) and one.isupper())]
        reader.read_assignments([(one, Word("")) for one in risky])
    pattern = _SETTERS.get(call.name)
    if pattern is not None and any(re.fullmatch(pattern, one) for one in call.arguments):
        reader.add(f"Changes the machine or the shell, or starts another program: {call.text}", _HIGH)


def _check_indexes(reader: CommandReader, call: CommandCall) -> None:
    """Bash runs commands in the index of an array even in a quoted word: `test -v 'a[$(…)]'`."""
    if call.name not in _INDEXED or (call.name == "printf" and not call.has("-v")):
        return
    if any(re.search(r"\[.*(?:\$\(|`)", one, re.DOTALL) for one in call.arguments):
        reader.add(f"Runs a command in the index of an array: {call.text}", _HIGH)


def _declare(reader: CommandReader, call: CommandCall) -> None:
    _check_indexes(reader, call)
    given = [one for one in call.arguments if not one.startswith("-")]
    pairs = [one.partition("=") for one in given if "=" in one or HOLE in one]
    if call.name != "export" and call.has("-n"):  # assignments to the one variable change the other
        pairs = [(target, "", "") for _, _, target in pairs]
    passed_on = call.name == "export" or call.has("-x")
    reader.read_assignments([(name, Word(value)) for name, _, value in pairs], passed_on=passed_on)


def _show_environment(reader: CommandReader, call: CommandCall) -> None:
    reader.add("Shows environment variables, which may be secret", _MEDIUM, "secret")


# ── git ──────────────────────────────────────────────────────────────────────────────────────────
_GIT_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix")
_GIT_READS = names("""status log diff show blame describe rev-parse ls-files ls-tree shortlog cat-file grep rev-list
    merge-base name-rev whatchanged count-objects version help check-ignore check-attr for-each-ref show-ref diff-tree
    diff-index diff-files var annotate range-diff cherry show-branch verify-commit verify-tag fsck""")
_GIT_LOCAL = names("add commit init mv tag notes stage format-patch bundle archive")
_GIT_RUNS = names(
    "bisect difftool mergetool submodule hook filter-branch filter-repo instaweb send-email daemon web--browse"
)
_GIT_UNDO = {
    "clean": "Deletes files that git does not track",
    "reset": "",
    "restore": "",
    "gc": "Deletes objects of the repository that are no longer needed",
    "prune": "Deletes objects of the repository",
    "reflog": "Changes the history of the branches",
    "update-ref": "Changes a branch directly",
    "rm": "",
    "replace": "Replaces objects of the repository",
}  # fmt: skip


def _git(reader: CommandReader, call: CommandCall) -> None:
    arguments, number = call.arguments, 0
    if "--help" in arguments:
        return
    while number < len(arguments) and arguments[number].startswith("-"):
        option = arguments[number]
        if option in ("-c", "--config-env", "--exec-path") or option.startswith(
            ("-c", "--config-env=", "--exec-path=")
        ):
            reader.add(
                f"Runs git with settings of the command: {shorten(' '.join(arguments[number : number + 2]))}", _HIGH
            )
        if option in ("--git-dir", "--work-tree", "-C") or option.startswith(("--git-dir=", "--work-tree=")):
            folder = option.partition("=")[2] or (arguments[number + 1] if number + 1 < len(arguments) else HOLE)
            reader.read([folder], "Works on the repository in")
            _git_elsewhere(reader, folder)
        number += 2 if option in _GIT_VALUES else 1
    verb = arguments[number] if number < len(arguments) else ""
    if verb not in ("init", "clone", "version", "help"):
        _git_elsewhere(reader, ".")
    inner = CommandCall("git", arguments[number + 1 :], call.words[number + 1 :], call.command)
    _git_verb(reader, verb, inner)


def _git_elsewhere(reader: CommandReader, folder: str) -> None:
    """The settings of a repository can start programs, so one that is not the project's own counts as code."""
    if reader.places.classify(folder) in (CommandPlace.PROJECT, CommandPlace.UNKNOWN):
        return
    if not set(reader.places.resolve(folder)) <= set(reader.places.roots):
        reader.add(f"Uses the settings of the repository in {reader.places.show(folder)}, which may start programs",
                   _MEDIUM)  # fmt: skip


def _git_verb(reader: CommandReader, verb: str, call: CommandCall) -> None:
    rest = shorten(" ".join(call.arguments), 50)
    if verb == "push":
        return _git_push(reader, call)
    if verb in ("commit", "merge", "pull", "rebase", "cherry-pick", "revert", "am", "tag", "add") and call.has(
        "--exec", "-x"
    ):
        reader.add(f"Runs git {verb} {rest}, whose options start other programs", _HIGH)
    if verb in ("fetch", "clone", "pull", "ls-remote", "archive", "push") and call.has(
        "--upload-pack", "--receive-pack", "--exec", "-u"
    ):
        reader.add(f"Runs git {verb} {rest}, whose options start other programs", _HIGH)
    if any(re.match(r"ext::|fd::", one) for one in call.arguments):
        reader.add("Runs a program as the transport of git", _HIGH)
    if verb in _GIT_READS:
        if call.has("--ext-diff", "--textconv", "--open-files-in-pager", "-O"):
            reader.add(f"Runs git {verb} {rest}, whose options start other programs", _HIGH)
        if (file := call.value("--output")) is not None:
            reader.write([file])
        reader.read(call.values("--contents", "--ignore-revs-file"))
        if call.has("--no-index"):
            reader.read(call.operands())
        return None
    if verb in _GIT_UNDO:
        return _git_undo(reader, verb, call)
    if verb in ("checkout", "switch"):
        return _git_checkout(reader, verb, call)
    if verb in ("fetch", "ls-remote", "clone", "pull", "remote", "submodule"):
        if verb == "fetch" and any(":" in one for one in call.operands()[1:]):
            forced = call.has("-f", "--force") or any(one.startswith("+") for one in call.operands())
            reader.add("Overwrites local branches with remote ones", _HIGH if forced else _MEDIUM)
        if verb in ("fetch", "ls-remote") and any(re.search(r"[:/]", one) for one in call.operands()[:1]):
            reader.add(f"Asks the remote repository {shorten(call.operands()[0])}", _MEDIUM, "network")
        return _git_remote(reader, verb, call)
    if verb == "stash":
        lost = call.arguments[:1] in (["drop"], ["clear"])
        return reader.add("Deletes stashed changes" if lost else f"Runs git stash {rest}", _HIGH if lost else _LOW)
    if verb == "branch":
        lost = call.has("-D", "-d", "--delete", "-M", "-C", "-f", "--force")
        named = shorten(", ".join(call.operands()), 60)
        return reader.add(f"Deletes or moves the branch {named}", _HIGH) if lost else None
    if verb == "worktree":
        lost = call.arguments[:1] in (["remove"], ["prune"])
        risk = _LOW if call.arguments[:1] == ["list"] else _HIGH if lost else _MEDIUM
        return reader.add(f"Runs git worktree {rest}", risk)
    if verb in ("merge", "rebase", "cherry-pick", "revert", "am", "apply"):
        return reader.add(f"Changes the branch and files of the repository: git {verb} {rest}", _MEDIUM)
    if verb == "config":
        return _git_config(reader, call)
    if verb in _GIT_LOCAL:
        return _git_local(reader, verb, call)
    kind = "runs further code" if verb in _GIT_RUNS else "is not known"
    return reader.add(f"Runs git {shorten(verb)} {rest}, which {kind}", _HIGH)


def _git_checkout(reader: CommandReader, verb: str, call: CommandCall) -> None:
    """`git checkout` switches branches, or takes files from a commit and discards their changes."""
    before = list(itertools.takewhile(lambda one: one != "--", call.arguments))
    paths = call.arguments[len(before) + 1 :]
    operands = CommandCall(call.name, before, [], call.command).operands(("-b", "-B", "-c", "-C", "--orphan"))
    if call.has("-f", "--force", "--discard-changes"):
        return reader.add("Switches to another branch and discards all uncommitted changes", _HIGH)
    if call.has("-B") or (verb == "switch" and call.has("-C", "--force-create")):
        return reader.add("Moves a branch, which loses its commits that no other branch has", _HIGH)
    if verb == "checkout" and not call.certainly("-b", "--orphan", "-t", "--track", "--detach"):
        paths += operands[1:] + [one for one in operands[:1] if _names_file(reader, one)]
        paths += call.values("--pathspec-from-file") and [HOLE]
        paths += ["."] if call.has("-p", "--patch") and not paths else []
    if paths:
        return _git_discards(reader, paths)
    return reader.add(f"Switches to {shorten(operands[0], 60)}" if operands else "Switches to another branch", _LOW)


def _names_file(reader: CommandReader, operand: str) -> bool:
    """Whether an operand of `git checkout` may be a file: it looks like one, or there is one by that name."""
    if operand in (".", "..") or any(one in operand for one in "*?[") or operand.startswith((":", "./", "../", "/")):
        return True
    found = reader.places.follow_links and any(os.path.lexists(one) for one in reader.places.resolve(operand))
    return found or operand.endswith("/") or re.search(r"\.[A-Za-z]\w{0,9}$", operand) is not None


def _git_discards(reader: CommandReader, paths: list[str]) -> None:
    """The effect of replacing files of the working tree: their uncommitted changes are lost."""
    wide = any(one in (".", "./", "..", "/") or HOLE in one or one.startswith((":", "*")) for one in paths)
    if wide:
        return reader.add("Discards uncommitted changes of all files", _HIGH)
    shown = ", ".join(reader.places.show(one) for one in paths[:3]) + (" and others" if len(paths) > 3 else "")
    return reader.add(f"Discards uncommitted changes of {shown}", _MEDIUM)


def _git_push(reader: CommandReader, call: CommandCall) -> None:
    refs = call.operands(("-o", "--push-option", "--repo"))
    forced = call.has("-f", "--force") or any(one.startswith(("--force", "--forc")) for one in call.arguments)
    where = refs[0] if refs else "the remote repository"
    branches = shorten(", ".join(one.lstrip("+:").rpartition(":")[2] for one in refs[1:]), 60)
    there = f" on {shorten(where)}" if refs else ""
    if forced or any(one.startswith("+") for one in refs[1:]):
        return reader.add(f"Overwrites history of {branches or 'a remote branch'}{there}", _HIGH, "network")
    if call.has("-d", "--delete", "--mirror", "--prune") or any(one.startswith(":") for one in refs[1:]):
        lost = branches or "branches or tags"
        return reader.add(f"Deletes {lost}{there or ' of a remote repository'}", _HIGH, "network")
    known = not re.search(r"[:/]", where) and not call.has("--repo", "--receive-pack", "--exec")
    return reader.add(
        f"Sends commits{f' of {branches}' if branches else ''} to {shorten(where)}",
        _MEDIUM if known and HOLE not in where else _HIGH,
        "network",
    )


def _git_undo(reader: CommandReader, verb: str, call: CommandCall) -> None:
    if (verb == "clean" and call.certainly("-n", "--dry-run", taking=("-e", "--exclude"))) or (
        verb == "reflog" and call.arguments[:1] in ([], ["show"])
    ):
        return None
    if verb == "reset" and not call.has("--hard", "--merge", "--keep"):
        return reader.add("Changes what git has staged, or moves the branch", _LOW)
    if verb == "restore":
        paths = call.operands(("-s", "--source"))
        unstages = call.certainly("--staged", "-S", taking=("-s", "--source")) and not call.has("--worktree", "-W")
        return None if unstages else _git_discards(reader, paths or [HOLE])
    if verb == "rm" and call.certainly("--cached"):
        return None
    text = _GIT_UNDO[verb]
    if verb == "reset":
        target = next(iter(call.operands()), "")
        text = "Discards uncommitted changes" + (f" and moves the branch to {shorten(target, 60)}" if target else "")
    elif verb == "rm":
        text = f"Deletes {', '.join(map(reader.places.show, call.operands()[:3])) or 'files'} and removes it from git"
    return reader.add(text, _MEDIUM if verb in ("gc", "prune", "rm") else _HIGH)


def _git_remote(reader: CommandReader, verb: str, call: CommandCall) -> None:
    operands = call.operands(
        ("-b", "--branch", "--depth", "-o", "--origin", "--reference", "-j", "--jobs", "-c", "--config")
    )
    if verb == "remote":
        changes = operands[:1] and operands[0] in ("add", "set-url", "remove", "rm", "rename", "set-head", "prune")
        to = shorten(" ".join(operands[1:]), 60)
        return reader.add(f"Changes where commits are sent: {to}", _HIGH) if changes else None
    if verb == "submodule" and operands[:1] not in ([], ["status"], ["summary"]):
        return reader.add("Fetches submodules, and may run commands of the repository", _HIGH, "network")
    if verb == "clone":
        if call.has("-c", "--config", "--template"):
            reader.add("Clones with settings that may run programs", _HIGH)
        reader.add(f"Downloads the repository {shorten(operands[0] if operands else '')}", _MEDIUM)
        return reader.write(operands[1:])
    text = {"fetch": "Fetches from a remote repository", "pull": "Fetches and merges from a remote repository"}
    return reader.add(text.get(verb, f"Asks a remote repository: git {verb}"), _MEDIUM if verb == "pull" else _LOW)


def _git_config(reader: CommandReader, call: CommandCall) -> None:
    operands = call.operands(("-f", "--file", "--type", "--default"))
    asks = ("--get", "--list", "-l", "--get-all", "--get-regexp", "--show-origin")
    taking = ("-f", "--file", "--type", "--default")
    reading = call.certainly(*asks, taking=taking) or operands[:1] in (["get"], ["list"])
    if reading or (len(operands) == 1 and not call.has("--unset", "--edit", "-e")):
        return
    key = next((one for one in operands if "." in one), "")
    harmless = re.fullmatch(
        r"user\.(?:name|email)|color\.(?!pager)[\w.]*|pull\.rebase|init\.defaultbranch|advice\..*", key, re.I
    )
    reader.add(
        f"Changes a setting of git: {shorten(key)}",
        _MEDIUM if harmless and not call.has("--global", "--system") else _HIGH,
    )


def _git_local(reader: CommandReader, verb: str, call: CommandCall) -> None:
    if verb == "tag" and call.has("-d", "--delete", "-f", "--force"):
        return reader.add(f"Deletes or moves the tag {shorten(', '.join(call.operands()), 60)}", _HIGH)
    reader.read(call.values("-F", "--file", "-t", "--template", "--pathspec-from-file"))
    if verb == "init" and (call.has("--template", "--separate-git-dir") or call.operands()):
        reader.write([*call.values("--separate-git-dir"), *call.operands()], "Makes a repository in")
        for template in call.values("--template"):
            reader.run_file(template, "Takes hooks from")
    if verb == "mv":
        return reader.write(call.operands(), "Moves")
    if verb == "bundle":
        return reader.write(call.operands()[1:2])
    if verb == "archive" and call.has("--remote"):
        return reader.add(
            f"Asks a remote repository: git archive {shorten(' '.join(call.arguments))}", _HIGH, "network"
        )
    if verb == "commit" and call.has("--amend"):
        return reader.add("Replaces the last commit", _MEDIUM)
    if (
        verb in ("archive", "bundle", "format-patch")
        and (file := call.value("-o", "--output", "--output-directory")) is not None
    ):
        return reader.write([file])
    texts = {"commit": "Commits to the local repository", "add": "Adds files to the next commit"}
    return reader.add(texts.get(verb, f"Changes the local repository: git {verb}"), _LOW)


# ── network ──────────────────────────────────────────────────────────────────────────────────────
_CURL_VALUES = names("""-X --request -H --header -d --data --data-raw --data-binary --data-urlencode --data-ascii -F
    --form
    -T --upload-file -o --output -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -x --proxy -m
        --max-time
    --connect-timeout --retry -w --write-out -K --config -E --cert --key --cacert --resolve --url -D --dump-header
        --json
    --retry-delay --limit-rate --interface --unix-socket --output-dir -z -C -r --range -t -Q -y -Y --variable""")
_SENDS = ("-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "-F", "--form", "-T",
          "--upload-file", "--json", "--post-data", "--post-file", "--body-data", "--body-file")  # fmt: skip


_REDIRECTED: Final = names(
    """-x --proxy --preproxy --resolve --connect-to --unix-socket --abstract-unix-socket --socks4 --socks5
    --socks5-hostname -Q --quote --url-query --variable"""
)


def _curl(reader: CommandReader, call: CommandCall) -> None:
    operands = call.operands(
        _CURL_VALUES if call.name == "curl" else names("-O -o -P -U -T -t -e --header --user-agent")
    )
    urls = [*operands, *filter(None, call.values("--url"))]
    bodies = call.values(*(("-o", "--output") if call.name == "curl" else ("-O", "--output-document")))
    body = bodies[0] if bodies else None
    headers = call.values("-D", "--dump-header", "-c", "--cookie-jar") if call.name == "curl" else []
    reader.write(one for one in (*bodies, *headers) if one and one != "-")
    folder = call.value("--output-dir") if call.name == "curl" else call.value("-P", "--directory-prefix")
    ends = [re.split("[?#]", url)[0].rstrip("/").rpartition("/")[2] for url in urls]
    reader.note_downloads(bodies if body else [f"{folder or '.'}/{one}" for one in ends if one])
    if call.has("-O", "--remote-name") and call.name == "curl":
        reader.write([call.value("--output-dir") or "."], "Downloads a file into")
    if call.name == "wget" and not call.certainly("--spider") and not bodies:
        reader.write([call.value("-P", "--directory-prefix") or "."], "Downloads files into")
    if call.has("-K", "--config", "--use-askpass", "--execute") or (
        call.name == "wget" and call.has("-e", "-i", "--input-file", "--input-metalink")
    ):
        reader.add(f"Runs {call.name} with settings from elsewhere", _HIGH)
    sent = [value for value in (call.value(option) for option in _SENDS) if value is not None]
    for value in sent:
        if (sending := re.match(r"(?:[\w-]+=)?[@<]([^;]+)", value)) is not None and sending[1] != "-":
            reader.read([sending[1]], "Sends the file")
    if (file := call.value("-T", "--upload-file", "--post-file", "--body-file")) not in (None, "-"):
        reader.read([file or HOLE], "Sends the file")
    if call.name == "curl" and call.has(*_REDIRECTED):
        reader.add("Reaches another place than the address says, or sends what a file holds", _HIGH, "network")
    reader.write(call.values("--trace", "--trace-ascii", "--stderr", "--etag-save", "--hsts", "--alt-svc", "--libcurl",
                             "--ssl-sessions", "--save-cookies", "--append-output", "--output-file",
                             "--warc-file"))  # fmt: skip
    local = bool(urls) and all(_LOOPBACK.match(url) for url in urls)
    local = local and not any(re.match(r"(?!https?:)[\w+.-]+://|.*@", url, re.I) for url in urls)
    if call.name == "curl" and any(
        "%output{" in one or one.startswith("@") for one in call.values("-w", "--write-out")
    ):
        reader.add(f"Writes files that the format names: {call.text}", _HIGH)
    if any(re.match(r"file:", url, re.I) for url in urls):
        reader.read([re.sub(r"^file:/*", "/", url, flags=re.I) for url in urls])
    method = (call.value("-X", "--request", "--method") or "GET").upper()
    shown = ", ".join(shorten(_host(url)) for url in urls[:3]) or "a host chosen at run time"
    if sent or method not in ("GET", "HEAD", "OPTIONS"):
        return reader.add(f"Sends data to {shown}", _MEDIUM if local else _HIGH, "" if local else "network")
    if call.has("-H", "--header", "-u", "--user", "-b", "--cookie") and any(HOLE in one for one in call.arguments):
        return reader.add(
            f"Sends values of the shell to {shown}", _MEDIUM if local else _HIGH, "" if local else "network"
        )
    hidden = any(HOLE in url for url in urls)
    inner = not local and any(INNER_ADDRESS.search(url if "://" in url else f"http://{url}") for url in urls)
    shown += " (an address of this network)" if inner else ""
    risk = _LOW if local else _HIGH if hidden or inner else _MEDIUM
    return reader.add(f"Downloads from {shown}" if not hidden else f"Sends values of the shell to {shown}", risk,
                      "" if local else "network")  # fmt: skip


def _host(url: str) -> str:
    match = _HOST.match(url)
    return match[1] if match else url


def _remote(reader: CommandReader, call: CommandCall) -> None:
    """`ssh`, `scp`, `nc` and others that open a connection."""
    if call.has("-V", "--version", "-h", "--help") and len(call.arguments) == 1:
        return None
    if call.name in ("ssh", "scp", "sftp") and any(
        "command" in one.lower() for one in call.arguments if "=" in one or " " in one
    ):
        reader.add(f"Runs {call.text}, whose options may start other programs", _HIGH)
    operands = call.operands(names("-p -P -i -l -o -F -J -L -R -D -b -c -e -m -W -w"))
    if call.name in ("nc", "ncat", "socat") and (
        call.has("-e", "-c", "--exec", "--sh-exec") or "exec:" in call.text.lower()
    ):
        return reader.add("Gives a program of this machine to a network connection", _CRITICAL, "network")
    if call.name == "ssh":
        command = shorten(" ".join(operands[1:]), 60)
        text = (
            f"Runs on {shorten(operands[0])}: {command}"
            if command
            else f"Opens a session on {shorten(operands[0] if operands else '')}"
        )
        return reader.add(text, _HIGH, "network")
    if call.name in ("scp", "rsync"):
        return _copy_remote(reader, call, operands)
    return reader.add(f"Opens a network connection: {call.text}", _HIGH, "network")


def _copy_remote(reader: CommandReader, call: CommandCall, operands: list[str]) -> None:
    distant = [one for one in operands if re.match(r"[^/]+:|rsync://", one) or HOLE in one]
    if call.name == "rsync" and call.has("-e", "--rsh", "--rsync-path"):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    if distant and operands and operands[-1] in distant:
        reader.read(operands[:-1], "Sends")
        return reader.add(f"Sends files to {shorten(_host(distant[-1]))}", _HIGH, "network")
    if distant:
        reader.add(f"Copies files from {shorten(_host(distant[0]))}", _HIGH, "network")
    else:
        reader.read(operands[:-1], "Copies")
    if call.has("--delete", "--delete-after", "--delete-before", "--remove-source-files"):
        reader.add(f"Deletes files that are missing in the source: {call.text}", _HIGH)
    if not distant or operands[-1] not in distant:
        for folder in operands[-1:]:
            deep = call.name == "rsync" or call.has("-r")
            sources = [f"{one}/" if one in distant and deep else one for one in operands[:-1]]
            _write_into(reader, sources, folder, deep=deep)
    return reader.write(operands[-1:])


def _looks_up(reader: CommandReader, call: CommandCall) -> None:
    hidden = any(HOLE in one for one in call.arguments)
    reader.add(f"Sends names to the network: {call.text}", _HIGH if hidden else _MEDIUM, "network")


# ── packages, builds and containers ──────────────────────────────────────────────────────────────
_INSTALLS = {
    "npm": "install i in ins add ci update up upgrade isntall exec x init create rebuild dedupe",
    "pnpm": "install i add update up dlx exec create rebuild import", "yarn": "install add upgrade up dlx create set",
    "bun": "install i add update x create", "pip": "install download wheel", "pipx": "install run inject upgrade "
        "reinstall",
    "uv": "add sync pip lock run tool self", "poetry": "add install update", "cargo": "install add update",
    "gem": "install update", "bundle": "install update add exec", "composer": "install require update create-project",
    "brew": "install upgrade update reinstall tap", "conda": "install create update", "mamba": "install create "
        "update",
    "go": "install get", "apt": "install upgrade full-upgrade update", "apt-get": "install upgrade dist-upgrade "
        "update",
    "dnf": "install upgrade", "yum": "install upgrade", "pacman": "", "apk": "add upgrade", "snap": "install refresh",
    "flatpak": "install update", "nix-env": "", "dotnet": "add restore tool", "swift": "", "luarocks": "install",
    "mise": "install use", "asdf": "install", "rustup": "install update toolchain component target",
}  # fmt: skip
_SYSTEM_INSTALLS = names("apt apt-get dnf yum pacman apk snap brew flatpak nix-env rustup")
_PACKAGE_READS = names("""list ls show view info outdated search freeze check tree metadata why explain audit
    version help
    config-get home ll la doc --version -v -V --help doctor fund ping whoami root bin prefix query env policy
        locate-project
    list-outdated deps leaves uses desc cat pkg freeze licenses""")
_LASTING = re.compile(r"\b(?:deploy|publish|release|upload|destroy|drop|clean-?all|reset|push)\b")
_LISTS_SCRIPTS = names("npm pnpm yarn bun uv poetry")  # `run` alone lists what can be run
_PUBLISHES = names(
    "publish unpublish deprecate owner yank push upload login logout adduser access token dist-tag release"
)
_REMOVES = names("uninstall remove rm un r unlink autoremove purge clean cache prune")


def _packages(reader: CommandReader, call: CommandCall) -> None:
    values = names("--prefix -C --cwd -w --workspace --filter --manifest-path -p --directory --project")
    lists = names("-r --requirement -c --constraint") if call.name in ("pip", "uv") else frozenset[str]()
    operands = call.operands(values | lists)
    verb = operands[0] if operands else ("install" if call.name in ("yarn", "pnpm", "bundle") else "--version")
    named = [one for one in operands[1:] if not re.fullmatch(r"\.(?:\[[\w,-]*\])?|-e", one)]
    if call.has("--version", "--help") and len(call.arguments) == 1:
        return None
    if call.name == "uv" and verb == "pip":
        return _packages(
            reader, CommandCall("pip", call.arguments[call.arguments.index("pip") + 1 :], [], call.command)
        )
    if (call.name, verb) in (("uv", "run"), ("bundle", "exec"), ("npm", "exec"), ("pnpm", "exec")) and named:
        reader.read_inner(call.arguments[call.arguments.index(named[0]) :], call.command)
        return reader.add(f"Runs {call.text}, which may install packages", _MEDIUM)
    if (verb == "pkg" and operands[1:2] == ["get"]) or (
        call.name in _LISTS_SCRIPTS and verb in ("run", "run-script") and len(operands) == 1
    ):
        return None  # shows values of package.json, or its scripts
    if call.name in ("cargo", "go") and verb == "fmt":
        return reader.write([] if call.has("--check") else ["."])
    if verb in ("config", "set", "pkg", "cache") and call.name in (
        "npm",
        "pnpm",
        "yarn",
        "pip",
        "poetry",
        "uv",
        "conda",
    ):
        reading = verb == "config" and operands[1:2] in ([], ["get"], ["list"], ["ls"])
        return None if reading else reader.add(f"Changes settings of {call.name}: {call.text}", _HIGH)
    if verb in _PUBLISHES:
        return reader.add(f"Publishes or changes an account: {call.text}", _HIGH, "network")
    if HOLE in verb:
        return reader.add(f"Runs {call.name} with a command that is known only at run time", _HIGH)
    if verb in _INSTALLS.get(call.name, "").split() or call.name in ("pacman", "nix-env"):
        wide = call.has("-g", "--global", "--location", "-i", "--source", "--git", "--user", "--break-system-packages")
        wide = wide or any(re.match(r"--(?:extra-)?index|--registry", one) for one in call.arguments)
        strange = any(re.search(r"://|^git\+|^[~/.]{1,2}/|^file:|^github:", one) for one in call.arguments)
        risk = _HIGH if named or wide or strange or call.name in _SYSTEM_INSTALLS else _MEDIUM
        what = (
            f"Installs {shorten(', '.join(named), 60)} and runs its scripts"
            if named
            else "Installs packages and runs their scripts"
        )
        return reader.add(what, risk)
    if verb in _REMOVES:
        wide = call.name in _SYSTEM_INSTALLS or call.has("-g", "--global", "--location")
        return reader.add(f"Removes packages: {call.text}", _HIGH if wide else _MEDIUM)
    if verb in _PACKAGE_READS and not _package_changes(call.name, verb, operands, call):
        return None
    return _run_project_code(reader, call)


def _package_changes(name: str, verb: str, operands: list[str], call: CommandCall) -> bool:
    """Whether a subcommand that usually shows something changes something, runs code or reaches another host."""
    elsewhere = any(
        re.match(r"--(?:extra-)?index|--registry|--source|--log|-i$|.*://|github:", one) for one in call.arguments
    )
    elsewhere = elsewhere or (name == "go" and verb == "list" and call.has("-m") and operands[1:] not in ([], ["all"]))
    elsewhere = elsewhere or (verb == "env" and name != "go" and operands[1:2] not in ([], ["list"], ["info"]))
    changing = (verb == "audit" and "fix" in operands) or (verb == "version" and len(operands) > 1)
    return elsewhere or changing or (name == "cargo" and verb == "check") or (name == "go" and call.has("-w", "-u"))


def _run_project_code(reader: CommandReader, call: CommandCall) -> None:
    if reader.places.classify(".") in (CommandPlace.OUTSIDE, CommandPlace.SCRATCH, CommandPlace.SYSTEM):
        return reader.add(f"Runs code outside the project: {call.text}", _HIGH)
    for folder in code_folders(call):
        if reader.places.classify(folder) not in (CommandPlace.PROJECT, CommandPlace.ROOT):
            return reader.add(f"Runs code outside the project: {call.text}", _HIGH)
        if "=" in folder or reader.places.classify(folder) is CommandPlace.ROOT:
            reader.run_file(folder, "Takes code or settings from")
    if any(_LASTING.search(one) for one in call.arguments if not one.startswith("-")):
        return reader.add(f"Runs code of the project, by its name with lasting effects: {call.text}", _HIGH)
    return reader.add(f"Runs code of the project: {call.text}", _MEDIUM)


def _runs_package(reader: CommandReader, call: CommandCall) -> None:
    """`npx`, `uvx`: downloads and runs a package, if the project does not have it."""
    rest = call.after_options(("-p", "--package", "-c", "--call", "--from", "--with", "--python"))
    own = CommandCall(call.name, call.arguments[: len(call.arguments) - len(rest)], [], call.command)
    named = own.has("-p", "--package", "-c", "--call", "--from", "--with", "--python")
    if call.name in ("npx", "pnpx", "bunx") and rest and not named:
        offline = call.arguments[0] in ("--no-install", "--no", "--offline")
        folders = reader.places.cwds + reader.places.roots if reader.places.follow_links else ()
        installed = [one for one in folders if os.path.lexists(f"{one}/node_modules/.bin/{rest[0]}")]
        if offline or (installed and re.fullmatch(r"[\w-]+", rest[0])):
            return reader.read_inner(rest, call.command)
    return reader.add(f"Downloads if needed, and runs: {call.text}", _HIGH)


def _project_code(reader: CommandReader, call: CommandCall) -> None:
    if call.arguments in (["--version"], ["-V"], ["--help"], ["-h"], ["version"]):
        return None
    for folder in (call.value("-C", "--directory"), call.value("-f", "--file", "--makefile")):
        if call.name in ("make", "gmake", "ninja", "just") and folder:
            reader.run_file(folder, "Runs the build in")
    if call.name in ("make", "gmake") and any(
        re.match(r"(?:SHELL|MAKEFLAGS|CC|CXX|LD|AR)=", one) or "--eval" in one for one in call.arguments
    ):
        reader.add(f"Runs a build with programs of the command: {call.text}", _HIGH)
    return _run_project_code(reader, call)


def _checks_files(reader: CommandReader, call: CommandCall) -> None:
    """Formatters and linters that do not run the project's code."""
    values = names("--config -c --select --ignore --line-length -l --target-version --exclude --output-file -o")
    paths = [one for one in call.operands(values) if one not in ("check", "format")]
    if call.name == "prettier" and call.has("--config", "--plugin"):
        reader.add(f"Runs code of the project: {call.text}", _MEDIUM)
    fixes = (
        call.has("--fix", "--write", "-w", "-i", "--in-place")
        or call.name in ("black", "isort", "rustfmt")
        or "format" in call.arguments
    )
    reader.write(call.values("--output-file", "--output", "-o"))
    (reader.write if fixes and not call.certainly("--check", "--diff") else reader.read)(paths or ["."])


def _containers(reader: CommandReader, call: CommandCall) -> None:
    rest = call.after_options(names("-H --host -c --context --config -l --log-level --url --connection"))
    if call.has("-H", "--host", "--url", "--connection") and rest != call.arguments:
        reader.add(f"Works on containers of another machine: {call.text}", _HIGH, "network")
    if rest[:1] and rest[0] in ("container", "image", "volume", "network", "system", "compose", "buildx", "builder"):
        verb, rest = f"{rest[0]} {rest[1] if len(rest) > 1 else ''}".strip(), rest[2:]
    else:
        verb, rest = (rest[0] if rest else ""), rest[1:]
    last = verb.rpartition(" ")[2]
    if re.fullmatch(
        r"(?:ps|images|version|info|logs|inspect|top|stats|port|diff|history|search|events|ls|list|df|config|context)?",
        last,
    ) and not (verb in ("config", "context", "buildx history") and rest[:1] not in ([], ["ls"], ["inspect"], ["show"])):
        return None
    inner = CommandCall(call.name, rest, [], call.command)
    if last in ("run", "create", "exec", "up", "start"):
        _container_risks(reader, inner)
        return reader.add(f"Starts containers or programs in them: {call.text}", _MEDIUM)
    if last in ("rm", "rmi", "kill", "prune", "down", "stop", "delete"):
        heavy = last in ("prune", "delete") or verb.startswith("volume") or call.has("-v", "--volumes", "-f", "--force")
        return reader.add(f"Ends or deletes containers, images or volumes: {call.text}", _HIGH if heavy else _MEDIUM)
    if last in ("build", "pull", "bake"):
        return reader.add(f"Builds or downloads an image: {call.text}", _MEDIUM)
    return reader.add(f"Runs {call.text}, which can change more than files", _HIGH)


def _container_risks(reader: CommandReader, call: CommandCall) -> None:
    mounts = [value for number, one in enumerate(call.arguments)
              if (value := _mount(one, call.arguments[number + 1 : number + 2]))]  # fmt: skip
    for mount in mounts:
        place = reader.places.classify(mount)
        if place not in (CommandPlace.PROJECT, CommandPlace.SCRATCH) and not (
            place is CommandPlace.ROOT and set(reader.places.resolve(mount)) <= set(reader.places.roots)
        ):
            outside = place is CommandPlace.OUTSIDE
            reader.add(f"Gives a container access to {reader.places.show(mount)}", _HIGH if outside else _CRITICAL)
    if call.has("--privileged", "--cap-add", "--device", "--security-opt"):
        reader.add("Starts a container with the rights of the whole machine", _CRITICAL)
    if any(
        re.search(r"--(?:pid|net|network|ipc|uts|userns)(?:=|$)", one) for one in call.arguments
    ) and "host" in call.arguments + [one.partition("=")[2] for one in call.arguments]:
        reader.add("Starts a container that shares namespaces of this machine", _HIGH)


def _mount(one: str, following: list[str]) -> str:
    """The folder of this machine that an option gives to a container; a bare name is a volume."""
    text = ""
    if one in ("-v", "--volume", "--mount"):
        text = following[0] if following else ""
    elif one.startswith(("-v", "--volume=", "--mount=")):
        text = one.removeprefix("--volume=").removeprefix("--mount=").removeprefix("-v")
    if match := re.search(r"(?:^|,)(?:source|src)=([^,]+)", text):
        return match[1]
    source = text.partition(":")[0]
    return source if source.startswith(("/", ".", "~", HOLE)) else ""


_CLOUD_READS = re.compile(
    r"(?:get|list|ls|describe|show|view|status|version|help|diff|plan|validate|fmt|output|explain|top|logs?"
    r"|api-resources|cluster-info|config|search|current-context|whoami|providers|graph)(?:-.*)?"
)
_CLOUD_DESTROYS = re.compile(
    r"(?:delete|destroy|rm|remove|purge|terminate|drop|drain|uninstall|kill|rb|taint|wipe)(?:-.*)?"
)


def _cloud(reader: CommandReader, call: CommandCall) -> None:
    """`kubectl`, `aws`, `terraform`, `gh` and others that act on remote systems, judged by their verbs."""
    operands = call.operands(
        names(
            "-n --namespace --context --profile --region --project -o --output --kubeconfig -R --repo -f -X --method "
            "--chdir"
        )
    )
    verbs = operands[:3]
    showing = all(one in ("--version", "-v", "-V", "version", "--help", "-h", "help") for one in call.arguments)
    if showing and (call.arguments or call.name != "vercel"):
        return None
    if any(_CLOUD_DESTROYS.fullmatch(one) for one in verbs):
        return reader.add(f"Deletes on a remote system: {call.text}", _HIGH, "network")
    if call.name == "gh" and operands[0] == "api":
        method = (
            call.value("-X", "--method")
            or ("POST" if call.has("-f", "-F", "--field", "--raw-field", "--input") else "GET")
        ).upper()
        return reader.add(f"Calls the API of GitHub: {call.text}", _MEDIUM if method == "GET" else _HIGH, "network")
    if any("secret" in one or one in ("auth", "token", "credentials") for one in verbs):
        return reader.add(f"Works with secrets of a remote system: {call.text}", _HIGH, "secret")
    if any(_CLOUD_READS.fullmatch(one) for one in verbs):
        local = call.name in ("terraform", "tofu") and verbs[0] in ("fmt", "validate", "version", "graph", "providers")
        return reader.add(f"Reads from a remote system: {call.text}", _LOW if local else _MEDIUM, "")
    return reader.add(f"Changes a remote system: {call.text}", _HIGH, "network")


def _database(reader: CommandReader, call: CommandCall) -> None:
    own = call.name in ("sqlite3", "duckdb")
    operands = call.operands(names("-h -U -p -d -u -P -D --host --user --port --dbname -v"))
    if own:
        operands = call.operands(names("-c -s -separator -newline -nullvalue"))
    if call.name in ("mongosh", "mongo") and (code := call.value("--eval")) is not None:
        reading = re.fullmatch(
            r"[\w.]*\.(?:find|count\w*|aggregate|stats|distinct|getCollectionNames)\([^()$]*\)[\w.()]*", code
        )
        return reader.add(f"Runs database code: {shorten(code)}", _MEDIUM if reading else _HIGH)
    given = ("-c", "-s") if own else ("-c", "--command", "-e", "--execute", "--eval")
    text = ("\n" if own else " ; ").join(call.values(*given) if call.name != "sqlite3" else []) or None
    if own and any(re.match(r"--?(?:init|cmd|A|f$|file)", one) for one in call.arguments):
        return reader.add(f"Runs SQL with commands from elsewhere: {call.text}", _HIGH)
    reader.write(call.values("-o", "--output", "-L", "--log-file") if call.name == "psql" else [])
    if own:
        reader.read(operands[:1])
        text = text or "\n".join(operands[1:]) or None
    heredoc = next((one.target.text for one in call.command.redirections if one.operator in ("<<", "<<<")), None)
    text = text if text is not None else heredoc
    if text is None or HOLE in text:
        return reader.add(f"Runs SQL that is not known: {call.text}", _HIGH)
    system = call.name in ("mysql", "mariadb") and re.search(r"(?:^|;|\s)(?:system|source|tee|pager)\s", text, re.I)
    if "\\" in text or system:
        return reader.add(f"Runs SQL that starts programs or writes files: {shorten(text)}", _HIGH)
    if DESTROYING_SQL.search(text):
        return reader.add(f"Deletes data: {shorten(text)}", _HIGH)
    if CHANGING_SQL.search(text):
        return reader.add(f"Changes data: {shorten(text)}", _HIGH)
    if own and not _only_queries(text):
        return reader.add(f"Runs SQL that may reach files or programs: {shorten(text)}", _HIGH)
    return reader.add(f"Reads data: {shorten(text)}", _LOW if own else _MEDIUM)


_QUIET_COMMAND = re.compile(
    r"""\.(?:tables|schema|fullschema|ind(?:ex|ic)es|headers?|mode|databases|dbinfo|show|width
    |nullvalue|timer|echo|help|quit|exit|stats|changes|bail|dump|eqp|explain|separator)\b[^\n|/\\]*""",
    re.VERBOSE,
)


def _only_queries(text: str) -> bool:
    """Whether SQL and commands of `sqlite3` and `duckdb` certainly only read the database."""
    lines = text.split("\n")
    commands = [one for one in lines if one.lstrip().startswith(".")]
    statements = "\n".join(one for one in lines if not one.lstrip().startswith("."))
    quiet = all(_QUIET_COMMAND.fullmatch(one.strip()) for one in commands)
    return quiet and (not statements.strip(" \t\n;") or only_reads(statements))


def _ends_processes(reader: CommandReader, call: CommandCall) -> None:
    if call.arguments[:1] in (["-l"], ["-L"], ["--list"]):
        return
    broad = (
        call.name in ("pkill", "killall", "fuser")
        or "-1" in call.arguments[1:]
        or any(one in ("-1", "0", "1") for one in call.operands())
    )
    reader.add(f"Ends processes: {call.text}", _HIGH if broad else _MEDIUM)


def _system(text: str, risk: Risk, reading: Iterable[str] = ()) -> Handler:
    """A handler for a program that changes the machine, except with these subcommands or options."""
    harmless = frozenset(reading)

    def handle(reader: CommandReader, call: CommandCall) -> None:
        words = [one for one in call.arguments if one not in ("--user", "--no-pager", "-q")]
        if words and words[0] in harmless:
            return
        reader.add(f"{text}: {call.text}", risk)

    return handle


def _opens(reader: CommandReader, call: CommandCall) -> None:
    network = any(re.match(r"\w+://", one) for one in call.arguments)
    reader.add(f"Opens {shorten(' '.join(call.arguments))} in another program", _HIGH if network else _MEDIUM,
               "network" if network else "")  # fmt: skip


def _crypto(reader: CommandReader, call: CommandCall) -> None:
    reader.read(paths_of(call.arguments))
    if call.name != "openssl" or call.arguments[:1] in (["s_client"], ["enc"], ["req"], ["genrsa"], ["pkey"]):
        reader.add(f"Works with keys or encrypted data: {call.text}", _HIGH)


def _reads(reader: CommandReader, call: CommandCall) -> None:
    if call.name in ("xxd", "uniq"):
        reader.write(call.operands(("-f", "-s", "-w", "-c", "-l", "-o"))[1:2])
    if call.name in ("tree", "xxd") and (file := call.value("-o")) is not None:
        reader.write([file])
    reader.read(paths_of(call.arguments))


def _opens_editor(reader: CommandReader, call: CommandCall) -> None:
    """An editor or pager: commands in its arguments may start programs."""
    files = [one for one in paths_of(call.arguments) if not one.startswith("+")]
    if any(re.match(r"\+|-[cSsk]$|--cmd|-c.|--eval|-k", one) for one in call.arguments):
        reader.add(f"Runs {call.text}, whose options start other programs", _HIGH)
    reader.read(files)
    if call.name not in ("less", "more", "view", "most"):
        reader.add(f"Opens an editor: {call.text}", _MEDIUM)


def _history(reader: CommandReader, call: CommandCall) -> None:
    reader.add("Shows earlier commands, which may contain secrets", _MEDIUM, "secret")
    if call.name == "history" and call.has("-c", "-d", "-w", "-r", "-a", "-n"):
        reader.add("Changes the record of earlier commands", _HIGH)
    elif call.name == "fc" and not call.has("-l"):
        reader.add("Runs an earlier command again", _HIGH)


def _fixed(text: str, risk: Risk, reach: str = "") -> Handler:
    def handle(reader: CommandReader, call: CommandCall) -> None:
        reader.add(text.format(call.text), risk, reach)

    return handle


def _each(programs: str, handler: Callable[[CommandReader, CommandCall], None]) -> dict[str, Handler]:
    return dict.fromkeys(programs.split(), handler)


HANDLERS: Final[dict[str, Handler]] = {
    **_each("sh bash dash zsh ksh ash fish mksh rbash", _shell),
    **_each(" ".join(_PROGRAM_OPTIONS), _interpreter),
    **_each(" ".join(_WRAPPERS), _wrapper),
    **_each("sudo doas su pkexec run0 runuser sudoedit gosu", _as_other_user),
    **_each("xargs parallel", _xargs),
    **_each("source .", _source),
    **_each("alias trap", _nested_text),
    "eval": _eval, "env": _env, "find": _find, "fd": _fd, "fdfind": _fd,
    **_each("rm rmdir unlink shred srm trash trash-put gio-trash", _remove),
    **_each("mv cp ln install ditto", _move),
    **_each("mkdir touch tee truncate mkfifo mktemp split csplit patch gzip gunzip bzip2 xz zstd pigz zip",
        _write_operands),
    **_each("chmod chown chgrp setfacl chattr", _permissions),
    "dd": _dd, "tar": _archive, "bsdtar": _archive,
    **_each("unzip 7z 7za unrar", _unzip),
    **_each("sed gsed", _sed),
    **_each("awk gawk mawk nawk", _awk),
    **_each("grep egrep fgrep rg ag ack jq yq zgrep", _searching),
    "sort": _sort,
    **_each("cd pushd popd", _change_folder),
    **_each("""echo printf true false : test [ [[ pwd exit return break continue read wait sleep seq date type which
        hash umask let jobs fg bg ulimit getopts mapfile readarray shift unset set shopt whoami id uname hostname tty
        uptime arch nproc free ps df top htop lsof ss netstat ifconfig locale tput clear man info whatis apropos cal
        bc expr factor yes basename dirname disown times complete compgen bind logger dircolors stty reset groups
        sw_vers lscpu lsblk lsusb lspci lsmod sysctl vmstat iostat ipcs getconf w who last users pgrep pidof""",
            _nothing),
    **_each("export declare local readonly typeset", _declare),
    **_each("printenv", _show_environment),
    "git": _git,
    **_each("curl wget", _curl),
    **_each("ssh scp sftp rsync nc ncat netcat socat telnet ftp lftp aria2c http https xh rclone mosh cloudflared "
        "ngrok", _remote),
    **_each("dig nslookup host ping traceroute whois drill mtr", _looks_up),
    **_each(" ".join(_INSTALLS), _packages),
    **_each("npx uvx pnpx bunx pipx-run", _runs_package),
    **_each("""make gmake cmake ninja just task rake gradle gradlew mvn mvnw ant bazel buck meson scons tox nox pytest
        py.test jest vitest mocha ava karma cypress playwright tsc eslint webpack vite rollup esbuild turbo nx lerna
            next
        nuxt ng vue-cli-service astro gatsby storybook mypy pyright pylint flake8 coverage invoke fab sphinx-build
            mkdocs
        jupyter nbconvert flask uvicorn gunicorn hypercorn celery streamlit rails rspec phpunit phpstan artisan mix
            rebar3
        sbt lein stack cabal dune zig nim crystal javac java kotlinc kotlin scalac gcc g++ clang clang++ cc ld rustc
            ghc
        ctest pre-commit alembic django-admin manage.py hatch pdm rye tauri electron xcodebuild
        pod fastlane flutter dart expo adb mocha-parallel-tests ginkgo golangci-lint buf protoc antlr4 latexmk
            pdflatex
        pandoc ffmpeg convert magick dot""", _project_code),
    **_each("ruff black isort shellcheck yamllint hadolint gofmt goimports rustfmt clang-format prettier taplo "
        "stylua "
            "markdownlint codespell typos xmllint actionlint", _checks_files),
    **_each("docker podman nerdctl docker-compose podman-compose", _containers),
    **_each("kubectl helm terraform tofu aws gcloud az gh glab doctl heroku vercel netlify fly flyctl wrangler "
        "firebase "
            "pulumi oc eksctl gsutil bq s3cmd supabase railway ansible ansible-playbook vault op", _cloud),
    **_each("psql mysql mariadb sqlite3 duckdb mongosh mongo redis-cli clickhouse-client", _database),
    **_each("kill pkill killall fuser", _ends_processes),
    **_each("systemctl service launchctl rc-service", _system("Changes services of this machine", _HIGH, names(
        "status show list-units list-timers is-active is-enabled list cat list-unit-files print"))),
    "crontab": _system("Changes what runs regularly", _HIGH, ["-l"]),
    **_each("at batch", _system("Runs commands later", _HIGH, ["-l"])),
    **_each("shutdown reboot halt poweroff init", _system("Ends this machine", _HIGH)),
    **_each("mkfs mke2fs mkswap wipefs fdisk sfdisk parted diskutil", _system("Changes disks", _CRITICAL, ["-l",
        "list"])),
    **_each("mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat", _system("Erases a disk", _CRITICAL)),
    **_each("mount umount losetup swapon swapoff", _system("Changes which disks are mounted", _HIGH, [])),
    **_each("iptables ip6tables nft ufw firewall-cmd ip route ifup ifdown nmcli networksetup", _system(
        "Changes the network of this machine", _HIGH, names("addr a address link list show status -L --list -V"))),
    **_each("useradd userdel usermod groupadd passwd chpasswd visudo chsh adduser deluser", _system(
        "Changes users of this machine", _HIGH)),
    **_each("dpkg rpm", _system("Changes packages of this machine", _HIGH, names("-l -L -s -S --list --status -q -qa "
        "-ql --version"))),
    **_each("defaults dconf gsettings security keyring secret-tool pass", _system(
        "Reads or changes settings and secrets of this machine", _HIGH, [])),
    **_each("modprobe insmod rmmod", _system("Changes the kernel", _CRITICAL)),
    **_each("open xdg-open start explorer gio", _opens),
    **_each("code cursor subl vim vi nano emacs nvim less more view most", _opens_editor),
    **_each("gdb lldb perf valgrind", _fixed("Runs a program under a debugger: {}", _HIGH)),
    **_each("screen tmux zellij expect nsenter chroot bwrap firejail qemu-system-x86_64 wine", _fixed(
        "Runs further programs: {}", _HIGH)),
    **_each("mail mailx sendmail mutt msmtp swaks", _fixed("Sends mail: {}", _HIGH, "network")),
    **_each("claude codex cursor-agent gemini aider goose opencode copilot amp crush", _fixed("Starts another agent: "
        "{}", _HIGH)),
    "mcp-workbench": _fixed("Controls MCP Workbench, which decides what agents may do: {}", _HIGH),
    **_each("gpg gpg2 openssl ssh-keygen ssh-add ssh-agent age sops certbot", _crypto),
    **_each("history fc", _history),
    **_each("""ls cat head tail wc file stat du realpath readlink cmp diff cut tr nl tac md5sum sha1sum sha256sum
        sha512sum
        cksum shasum md5 column comm join paste uniq fold fmt expand unexpand rev strings hexdump xxd od base64 base32
        tree bat eza exa lsd zcat bzcat xzcat numfmt pr tsort iconv icdiff colordiff delta tokei cloc scc hexyl glow
        ldd nm objdump readelf otool size zipinfo jd dos2unix-info mediainfo exiftool-read identify sum b2sum""",
            _reads),
}  # fmt: skip
