"""Lists the options of a Python script and the lines that it prints, as one JSON object.

The file is parsed into its syntax tree, and none of its code is run. Nothing is told of what the script computes.
"""
import ast
import json
import os
import re
import string
import sys
import tokenize

MOST = 2000  # entries of a list, characters of a text
NUMBER = "0.5"  # stands in a printed line for whatever the script computes
PRINTS = "print info warning debug log write echo pprint rprint secho".split()
SHUFFLES = "KFold StratifiedKFold ShuffleSplit StratifiedShuffleSplit train_test_split random_split".split()
FOLDS = "KFold StratifiedKFold GroupKFold StratifiedGroupKFold TimeSeriesSplit".split()
# Libraries that make options of the fields of data classes, by a word that a script which uses them contains.
CLASSES = {"HfArgumentParser": "transformers", "simple_parsing": "simple-parsing", "pyrallis": "pyrallis", "draccus": "draccus", "tyro": "tyro"}
CONVERSION = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[difFgGeEsr]|%%")


def last(node):
    """The last part of a dotted name, `add_argument` of `parser.add_argument(...)`."""
    if isinstance(node, ast.Call):
        return last(node.func)
    return getattr(node, "id", None) or getattr(node, "attr", "")


def literal(node):
    """The text or number that is written here. None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = literal(node.operand)
        return -number if isinstance(number, (int, float)) else None
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    if isinstance(value, int) and (isinstance(value, bool) or value >= 1 << 64):
        return None  # Python refuses to write integers of thousands of digits.
    return value if isinstance(value, (str, int, float)) else None


def text(node):
    return literal(node) if isinstance(literal(node), str) else None


def whole(node):
    return literal(node) if isinstance(literal(node), int) else None


def index(subscript):
    """What stands in the brackets. Python 3.8 wraps it."""
    inner = subscript.slice
    return inner.value if type(inner).__name__ == "Index" else inner


def keyword(call, *names):
    return next((own.value for own in call.keywords if own.arg in names), None)


def owner(call):
    """`parser` of `parser.add_argument(...)`. None of a call of a plain name."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def is_decorated(node, name):
    return any(last(own) == name for own in node.decorator_list)


def inside(node, kind):
    return [own for own in ast.walk(node) if isinstance(own, kind)]


def pairs(node):
    """The names that a statement assigns, each with its value."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(node.target, node.value)]
    if not isinstance(node, ast.Assign):
        return []
    first, value = node.targets[0], node.value
    if isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple) and len(first.elts) == len(value.elts):
        return list(zip(first.elts, value.elts))
    return [(name, value) for name in node.targets]


def option(name, written, library, default=None, choices=(), is_required=False, subcommand=None, help=None):
    return {"name": name.replace("-", "_"), "written": written, "library": library, "default": default, "choices": list(choices)[:MOST],
            "is_required": is_required, "subcommand": subcommand, "help": help}


class Script:
    """A parsed file, and what its names stand for."""

    def __init__(self, path):
        with tokenize.open(path) as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        self.tree = ast.parse(self.text)
        self.nodes = sorted(inside(self.tree, (ast.stmt, ast.expr)), key=lambda node: (node.lineno, node.col_offset))
        self.functions, self.assigned, self.enums, self.compared = {}, {}, {}, {}
        for node in self.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.setdefault(node.name, node)
            for name, value in pairs(node):
                if isinstance(name, ast.Name):
                    self.assigned.setdefault(name.id, value)
            if isinstance(node, ast.ClassDef) and any("Enum" in last(base) for base in node.bases):
                members = [pair for own in node.body for pair in pairs(own)]
                self.enums[node.name] = {last(name): str(literal(value)) for name, value in members if literal(value) is not None}
        self.compare()

    def calls(self, *names):
        return [node for node in self.nodes if isinstance(node, ast.Call) and last(node) in names]

    def comment(self, node):
        return self.lines[node.end_lineno - 1].partition(" #")[2].strip(" #") or None

    def meant(self, node):
        """What a name was given first, also through other names. Any other expression is itself."""
        for _ in range(4):
            if isinstance(node, ast.Name):
                node = self.assigned.get(node.id, node)
        return node

    def value(self, node):
        """A default, as a command would be given it."""
        node = self.meant(node)
        if isinstance(node, ast.Attribute):
            member = node.value if node.attr == "value" else node  # Model.A.value and Model.A
            return self.enums.get(last(getattr(member, "value", None)), {}).get(last(member))
        return None if literal(node) is None else str(literal(node))

    def values(self, node, depth=0):
        """The elements of a list, keys of a dict, members of an enumeration or values of a type."""
        if isinstance(node, ast.Name) and node.id in self.enums:
            return list(self.enums[node.id].values())
        node, inner = self.meant(node), None
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            found = [self.value(own) for own in (node.keys if isinstance(node, ast.Dict) else node.elts)]
            return [own for own in found if own is not None]
        if isinstance(node, ast.Subscript) and last(node.value) == "Literal":
            return [self.value(index(node))] if literal(index(node)) is not None else self.values(index(node), depth + 1)
        if isinstance(node, ast.Subscript) and last(node.value) in ("Optional", "Annotated"):
            inner = index(node).elts[0] if isinstance(index(node), ast.Tuple) else index(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):  # Model | None
            inner = node.left
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):  # [own.value for own in Model]
            inner = node.generators[0].iter
        elif isinstance(node, ast.Call) and last(node) == "range" and node.args:
            return self.numbers(*[None, *node.args][-2:], 0)
        elif isinstance(node, ast.Call) and last(node) == "IntRange":
            return self.numbers(*[keyword(node, "min"), keyword(node, "max"), *node.args][-2:], 1)
        elif isinstance(node, ast.Call) and last(node) == "dict":
            return [own.arg for own in node.keywords if own.arg]
        elif isinstance(node, ast.Call) and last(node) == "keys":
            inner = owner(node)
        elif isinstance(node, ast.Call) and last(node) in ("list", "sorted", "tuple", "set", "Choice") and node.args:
            inner = node.args[0]
        return self.values(inner, depth + 1) if inner is not None and depth < 6 else []

    def numbers(self, first, end, more):
        """Whole numbers from a first one, or 0, to an end, which `more = 1` includes."""
        first, end = 0 if first is None else whole(self.meant(first)), whole(self.meant(end))
        if first is None or end is None or end - first > 1000:
            return []
        return [str(number) for number in range(first, end + more)]

    def compare(self):
        """Finds with which texts each name is compared, and in which lists or dicts it is looked up."""
        def note(name, values):
            if isinstance(name, ast.Call) and last(name) in ("lower", "strip"):
                name = owner(name)
            if isinstance(name, (ast.Name, ast.Attribute)):
                known = self.compared.setdefault(last(name), [])
                known += [value for value in values if value not in known][:MOST]

        for node in self.nodes:
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                left, right = node.left, node.comparators[0]
                if isinstance(node.ops[0], ast.Eq):
                    note(left, [text(right)] if text(right) is not None else [])
                    note(right, [text(left)] if text(left) is not None else [])
                elif isinstance(node.ops[0], (ast.In, ast.NotIn)):
                    note(left, self.values(right))
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.LtE) and "fold" in last(node.comparators[0]):
                includes_end = isinstance(node.ops[1], ast.LtE)  # 1 <= fold <= 5, and not 0 <= fold < 5
                note(node.comparators[0], self.numbers(node.left, node.comparators[1], includes_end))
            elif isinstance(node, ast.For) and last(node.iter) == "range" and "fold" in last(node.target):
                note(node.target, self.values(node.iter))
            elif isinstance(node, ast.Subscript) and isinstance(self.meant(node.value), (ast.List, ast.Tuple)):
                count = len(self.meant(node.value).elts)  # An element is chosen by its number.
                note(index(node), [str(number) for number in range(count)] if count > 1 else [])
            elif isinstance(node, ast.Subscript):
                note(index(node), self.values(node.value))
            elif isinstance(node, ast.Call) and last(node) == "get" and owner(node) and node.args:
                note(node.args[0], self.values(owner(node)))
            for case in getattr(node, "cases", []):
                for pattern in getattr(case.pattern, "patterns", [case.pattern]):
                    value = text(getattr(pattern, "value", None))
                    note(node.subject, [value] if value is not None else [])


def flagged(script, call, library, subcommand):
    """The option that argparse's `add_argument` or click's `option` declares. None if it takes no value."""
    names = [text(node) for node in call.args if text(node)]
    action = str(text(keyword(call, "action")) or last(keyword(call, "action")))
    is_true = {own.arg for own in call.keywords if getattr(own.value, "value", None) is True}
    is_switch = action.startswith("store_") or action in ("count", "help", "version", "BooleanOptionalAction")
    if not names or is_switch or is_true & {"is_flag", "count"} or any("/" in name for name in names):
        return None
    flags = sorted((name for name in names if name.startswith("-")), key=lambda name: not name.startswith("--"))
    name = (text(keyword(call, "dest")) or flags[0].lstrip("-")) if flags else names[0]
    default, help = script.value(keyword(call, "default")), script.value(keyword(call, "help"))
    choices = script.values(keyword(call, "choices") or keyword(call, "type"))
    is_optional = bool(flags) or text(keyword(call, "nargs")) in ("?", "*")
    is_required = default is None and ("required" in is_true or not is_optional)
    written = {"flag": flags[0]} if flags else {"position": 0}
    return option(name, written, library, default, choices, is_required, subcommand, help)


def subcommand_of(script, parser, depth=0):
    """The name of the subcommand whose parser this is, also through a group of its options."""
    made = script.meant(parser)
    if isinstance(made, ast.Call) and last(made) == "add_parser" and made.args:
        return text(made.args[0])
    is_group = isinstance(made, ast.Call) and last(made) in ("add_argument_group", "add_mutually_exclusive_group")
    return subcommand_of(script, owner(made), depth + 1) if is_group and depth < 4 else None


def of_argparse(script):
    for call in script.calls("add_argument"):
        yield flagged(script, call, "argparse", subcommand_of(script, owner(call)))


def of_click(script):
    has_group = any(is_decorated(function, "group") for function in script.functions.values())
    for function in script.functions.values() if "click" in script.text else []:
        command = next((own for own in function.decorator_list if last(own) == "command"), None)
        is_named = isinstance(command, ast.Call) and command.args
        name = text(command.args[0]) if is_named else function.name.replace("_", "-")
        for call in function.decorator_list:
            if isinstance(call, ast.Call) and last(call) in ("option", "argument"):
                yield flagged(script, call, "click", name if has_group and command else None)


def of_absl(script):
    for call in script.calls("DEFINE_string", "DEFINE_enum", "DEFINE_integer", "DEFINE_float"):
        given, is_enum = dict(enumerate(call.args)), last(call) == "DEFINE_enum"
        name, default = text(given.get(0)), script.value(given.get(1) or keyword(call, "default"))
        choices = script.values(given.get(2) or keyword(call, "enum_values")) if is_enum else []
        help = script.value(given.get(3 if is_enum else 2) or keyword(call, "help"))
        if name:
            yield option(name, {"flag": "--" + name}, "absl", default, choices, help=help)


def parameter(script, name, kind, default, library, subcommand=None, comment=None):
    """The option that a library makes of a parameter or field, with its type and default."""
    calls = [default, *(inside(kind, ast.Call) if kind else [])]
    told = [call for call in calls if isinstance(call, ast.Call) and last(call) in ("Option", "Argument", "field")]
    if last(kind) == "bool" or name == "self":
        return None
    if default in told:
        default = keyword(default, "default") or next(iter(default.args), None)
        if getattr(default, "value", None) is ...:
            default = None
    is_option = library != "typer" or any(last(node) == "Option" for node in told) or not told and default is not None
    flag = "--" + (name.replace("_", "-") if library in ("typer", "tyro") else name)
    choices, help = script.values(kind), comment
    for node in told:
        choices = choices or script.numbers(keyword(node, "min"), keyword(node, "max"), 1)
        help = script.value(keyword(node, "help")) or help
    written = {"flag": flag} if is_option else {"position": 0}
    return option(name, written, library, script.value(default), choices, default is None, subcommand, help)


def of_functions(script):
    """Options that typer and fire make of the parameters of functions."""
    chosen = {last(call.args[0]): "fire" for call in script.calls("Fire") if call.args}
    if "typer" in script.text:
        chosen.update((last(call.args[0]), "typer") for call in script.calls("run") if call.args)
        chosen.update((name, "typer") for name, own in script.functions.items() if is_decorated(own, "command"))
    chosen = {name: library for name, library in chosen.items() if name in script.functions}
    for name, library in chosen.items():
        own = script.functions[name].args
        defaults = [None] * (len(own.args) - len(own.defaults)) + own.defaults + own.kw_defaults
        subcommand = name.replace("_", "-") if len(chosen) > 1 else None
        for argument, default in zip(own.args + own.kwonlyargs, defaults):
            yield parameter(script, argument.arg, argument.annotation, default, library, subcommand)


def of_classes(script):
    library = next((library for word, library in CLASSES.items() if word in script.text), None)
    for node in script.nodes if library else []:
        if isinstance(node, ast.ClassDef) and is_decorated(node, "dataclass"):
            for own in node.body:
                if isinstance(own, ast.AnnAssign):
                    yield parameter(script, last(own.target), own.annotation, own.value, library, comment=script.comment(own))


def of_arguments(script):
    """Arguments that a script takes from `sys.argv` by their numbers, or all at once by `sys.argv[1:]`."""
    def argument(number, name, default, is_required):
        name = last(name).lower()
        return number, option(name, {"position": number}, "sys.argv", default, [], is_required, help=script.comment(node))

    for node in script.nodes:
        for name, value in pairs(node):
            reads = [index(own) for own in inside(value, ast.Subscript) if last(own.value) == "argv"]
            is_optional = isinstance(value, ast.IfExp)
            default = script.value(value.orelse) if is_optional else None
            for place in reads:
                if whole(place) and isinstance(name, ast.Name):
                    yield argument(whole(place), name, default, not is_optional)
                elif isinstance(place, ast.Slice) and whole(place.lower) == 1 and isinstance(name, ast.Tuple):
                    yield from (argument(number, own, None, True) for number, own in enumerate(name.elts, start=1))


def of_variables(script):
    """Variables of the environment. One that a name is given has the values that the name is compared with."""
    names = {}
    for node in script.nodes:
        for name, value in pairs(node):
            names.update((id(own), last(name)) for own in inside(value, (ast.Call, ast.Subscript)))
    for node in script.nodes:
        given = []
        if isinstance(node, ast.Call) and (last(node) == "getenv" or last(node) == "get" and last(owner(node)) == "environ"):
            given = node.args
        elif isinstance(node, ast.Subscript) and last(node.value) == "environ":
            given = [index(node)]
        variable = text(given[0]) if given else None
        if variable:
            default = script.value(given[1]) if len(given) > 1 else None
            choices = script.compared.get(names.get(id(node)), [])
            yield option(variable.lower(), {"variable": variable}, "environment", default, choices, help=script.comment(node))


def of_hydra(script, directory):
    """Keys and groups of the YAML file that `hydra.main` names. Keys at most one level below another are read."""
    call = next((own for own in script.calls("main") if keyword(own, "config_path", "config_name")), None)
    if call is None:
        return
    place = os.path.join(directory, text(keyword(call, "config_path")) or "")
    path = os.path.join(place, text(keyword(call, "config_name")) or "config")
    path, parent = path if path.endswith(".yaml") else path + ".yaml", None
    for line in open(path, encoding="utf-8", errors="replace") if os.path.isfile(path) else []:
        code, _, comment = line.partition(" #")
        is_below, is_entry = code[:1] in " -", code.strip().startswith("-")
        key, colon, value = (part.strip(" \n\"'") for part in code.strip("- \n").partition(":"))
        if not colon or key.startswith("#") or is_entry and parent != "defaults":
            continue
        if not is_below:
            parent = key
        if is_below and parent == "defaults":
            key = key.replace("override ", "")
            group = os.path.join(place, key)
            names = sorted(own[:-5] for own in os.listdir(group) if own.endswith(".yaml")) if os.path.isdir(group) else []
            yield option(key, {"joined": key}, "hydra", value, names)
        elif value:
            key = parent + "." + key if is_below and parent else key
            default = None if value in ("???", "null") else value
            yield option(key, {"joined": key}, "hydra", default, [], value == "???", help=comment.strip() or None)


def options(script, directory):
    """All options. The first one of a name counts, and an argument has its number among those of its subcommand."""
    declared = [*of_argparse(script), *of_click(script), *of_absl(script), *of_functions(script), *of_classes(script)]
    if not any(declared):
        arguments = sorted(of_arguments(script), key=lambda one: one[0])
        declared = [own for number, own in arguments]
    found, numbers = {}, {}
    for own in [*declared, *of_variables(script), *of_hydra(script, directory)]:
        if own is None or (own["name"], own["subcommand"]) in found:
            continue
        found[own["name"], own["subcommand"]] = own
        own["choices"] = own["choices"] or script.compared.get(own["name"], [])
        if own["written"].get("position") == 0:
            numbers[own["subcommand"]] = own["written"]["position"] = numbers.get(own["subcommand"], 0) + 1
    return list(found.values())[:MOST]


def field(spec):
    """A computed number: a percentage if the format ends with `%`."""
    return NUMBER + ("%" if str(spec).endswith("%") else "")


def percents(line):
    return CONVERSION.sub(lambda found: "%" if found[0] == "%%" else NUMBER, line)


def braces(line):
    try:
        return "".join(before + ("" if name is None else field(spec)) for before, name, spec, _ in string.Formatter().parse(line))
    except ValueError:
        return line


def rendered(script, node):
    """The text that is printed of an expression, with 0.5 for what is computed."""
    made = script.meant(node)
    node = made if isinstance(made, (ast.Dict, ast.JoinedStr)) else node
    if text(node) is not None:
        return text(node)
    if isinstance(node, ast.FormattedValue):
        return field(rendered(script, node.format_spec) if node.format_spec else "")
    if isinstance(node, ast.JoinedStr):
        return "".join(rendered(script, own) for own in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and text(node.left) is not None:
        return percents(text(node.left))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = rendered(script, node.left) + rendered(script, node.right)
        return NUMBER if both == 2 * NUMBER else both
    if isinstance(node, ast.Call) and last(node) == "format" and text(owner(node)) is not None:
        return braces(text(owner(node)))
    if isinstance(node, ast.Dict):
        return "{%s}" % ", ".join("'%s': %s" % (text(key), NUMBER) for key in node.keys if text(key) is not None)
    return NUMBER


def printed(script):
    """The lines that are printed, and whether a share is multiplied by 100 in them."""
    for call in script.calls(*PRINTS):
        parts = [rendered(script, own) for own in call.args]
        if not parts:
            continue
        separator = text(keyword(call, "sep"))
        line = (" " if separator is None else separator).join(parts)
        if last(call) != "print" and text(call.args[0]) is not None:
            line = percents(parts[0])  # A logger's other arguments stand where its format says.
        products = [own for own in inside(call, ast.BinOp) if isinstance(own.op, ast.Mult)]
        is_hundredfold = any(100 in (literal(own.left), literal(own.right)) for own in products)
        yield {"line": call.lineno, "text": line[:MOST], "is_hundredfold": is_hundredfold}


def results(script):
    """The keys of dicts that are printed as JSON."""
    written = [id(own) for call in script.calls(*PRINTS) for own in call.args]
    for call in script.calls("dumps", "dump"):
        if call.args and (id(call) in written or "FIESTA_RESULT" in script.text):
            yield {"line": call.lineno, "keys": script.values(call.args[0])[:100]}


def folds(script, names):
    """How many folds scikit-learn is to make: a number, or the last part of the name of the option that tells it."""
    # Folds that are given as `cv` are all used in one run: no option chooses one of them.
    inner = {script.meant(keyword(call, "cv")) for call in script.nodes if isinstance(call, ast.Call)}
    for call in script.calls(*FOLDS):
        given = keyword(call, "n_splits") or next(iter(call.args), None)
        given = given if last(given) in names else script.meant(given)
        if call not in inner:
            yield str(whole(given) or last(given))


def constants(script):
    """Names at the top of the file that are given a short text or a number, as options."""
    for node in script.tree.body:
        for name, given in pairs(node):
            value = script.value(given) or ""
            if isinstance(name, ast.Name) and 0 < len(value) < 100:
                yield option(name.id, {"constant": node.lineno}, "constant", value, script.compared.get(name.id, []))


def facts(path):
    script = Script(path)
    shuffles = [own for call in script.calls(*SHUFFLES) for given in [*call.args, *call.keywords] for own in ast.walk(given)]
    usages = [text(node) for node in script.nodes if text(node) and "usage:" in text(node).lower()]
    found = options(script, os.path.dirname(path))
    return {"options": found, "docopt": usages[:1] if script.calls("docopt") else [],
            "results": list(results(script))[:MOST], "printed": list(printed(script))[:MOST],
            "folds": list(folds(script, {own["name"].split(".")[-1] for own in found}))[:MOST],
            "repeats_folds": bool(script.calls("RepeatedKFold", "RepeatedStratifiedKFold")),
            "constants": list(constants(script))[:MOST],
            "shuffled_by": sorted({last(own) or text(own) or "" for own in shuffles})[:MOST]}


def main(path):
    try:
        told = facts(path)
    except SyntaxError as error:
        told = {"problem": "line %s is no Python %d.%d: %s" % (error.lineno or 1, *sys.version_info[:2], error.msg)}
    except (RecursionError, MemoryError):
        told = {"problem": "it nests too deep"}
    except Exception as error:
        told = {"problem": "%s: %s" % (type(error).__name__, error)}
    sys.stdout.buffer.write(json.dumps(told, ensure_ascii=False).encode("utf-8", "replace"))


if sys.version_info < (3, 8):
    sys.exit("only Python 3.8 and later ones can read it")
main(sys.argv[1])
