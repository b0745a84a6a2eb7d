"""Lists the options, printed lines and folds of a Python file, as one JSON object. Its syntax tree alone is read: none of its code is run."""
import ast
import json
import os
import re
import string
import sys
import tokenize

MOST = 2000  # entries of a list, characters of a text
NUMBER = "0.5"  # stands for whatever a script computes
PRINTS = set("print info warning debug log write echo pprint rprint secho".split())
SHUFFLES = set("KFold StratifiedKFold ShuffleSplit StratifiedShuffleSplit train_test_split random_split".split())
FOLDS = dict(KFold=5, StratifiedKFold=5, GroupKFold=5, StratifiedGroupKFold=5, TimeSeriesSplit=5, ShuffleSplit=10, StratifiedShuffleSplit=10)
COUNTS = set("n_folds num_folds nfolds folds n_splits num_splits nsplits k_folds k_fold kfolds cv_folds".split())
CLASSES = dict(HfArgumentParser="transformers", simple_parsing="simple-parsing", pyrallis="pyrallis", draccus="draccus", tyro="tyro")
CONVERSION = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[difFgGeEsr]|%%")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LISTS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
READ = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.For, ast.If, ast.Assert, ast.Call, ast.Compare, ast.Subscript, ast.JoinedStr)


def last(node):
    """The last part of a dotted name: of a call, that of its function; of `x["key"]`, the key."""
    if isinstance(node, ast.Call):
        return last(node.func)
    if isinstance(node, ast.Subscript):
        return text(index(node)) or ""
    return getattr(node, "id", None) or getattr(node, "attr", "")


def constant(node):
    """The text or number that stands here, of any sign."""
    is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    value = getattr(node.operand if is_negative else node, "value", None)
    is_odd = isinstance(value, bool) or isinstance(value, int) and value >= 1 << 64  # Python writes no numbers of thousands of digits
    if is_odd or not isinstance(value, (int, float) if is_negative else (str, int, float)):
        return None
    return -value if is_negative else value


def text(node):
    return constant(node) if isinstance(constant(node), str) else None


def whole(node):
    return constant(node) if isinstance(constant(node), int) else None


def index(node):
    return node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # Python 3.8 wraps it


def keyword(call, *names):
    return next((own.value for own in call.keywords if own.arg in names), None)


def owner(call):
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def inside(node, kind):
    return [own for own in ast.walk(node) if isinstance(own, kind)]


def pairs(node):
    """What a statement assigns: names, and their values."""
    if isinstance(node, ast.AnnAssign):
        return [(node.target, node.value)] if node.value is not None else []
    if not isinstance(node, ast.Assign):
        return []
    first, value = node.targets[0], node.value
    is_each = isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple) and len(first.elts) == len(value.elts)
    return list(zip(first.elts, value.elts)) if is_each else [(name, value) for name in node.targets]


def percents(line):
    return CONVERSION.sub(lambda found: "%" if found[0] == "%%" else NUMBER, line)


def field(spec):
    return NUMBER + "%" * str(spec).endswith("%")


def braces(line):
    try:
        return "".join(before + ("" if name is None else field(spec)) for before, name, spec, _ in string.Formatter().parse(line))
    except ValueError:
        return line


def option(name, written, library, **more):
    empty = {"choices": [], "default": None, "is_required": False, "subcommand": None, "help": None}
    return {**empty, "name": name.replace("-", "_"), "written": written, "library": library, **more}


class Reader:
    def __init__(self, path):
        with tokenize.open(path) as file:
            self.text = file.read()
        self.lines, self.tree = self.text.split("\n"), ast.parse(self.text)
        self.nodes = sorted(inside(self.tree, READ + ((ast.Match,) if hasattr(ast, "Match") else ())), key=lambda node: (node.lineno, node.col_offset))
        self.calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        self.functions = {node.name: node for node in reversed(self.nodes) if isinstance(node, FUNCTIONS)}
        self.assigned, self.enums, self.uses, self.lists = {}, {}, {}, {}
        for node in self.nodes:
            for name, value in pairs(node):
                if isinstance(name, ast.Name):
                    self.assigned.setdefault(name.id, value)
            if isinstance(node, ast.ClassDef) and any("Enum" in last(base) for base in node.bases):
                members = [pair for own in node.body for pair in pairs(own)]
                self.enums[node.name] = {last(name): str(constant(value)) for name, value in members if constant(value) is not None}
        self.find_uses()

    def comment(self, node):
        return self.lines[node.end_lineno - 1].partition(" #")[2].strip(" #") or None

    def value(self, node, depth=0):
        """A default as a command would be given it, also under a name."""
        if constant(node) is not None:
            return str(constant(node))
        if isinstance(node, ast.Attribute):
            member = node.value if node.attr == "value" else node
            return self.enums.get(last(getattr(member, "value", None)), {}).get(last(member))
        return self.value(self.assigned.get(node.id), depth + 1) if isinstance(node, ast.Name) and depth < 4 else None

    def values(self, node, depth=0):
        """The elements of a list, the keys of a dict, the members of an enumeration, also under a name."""
        inner, name = None, last(node)
        if isinstance(node, LISTS):
            found = map(self.value, node.keys if isinstance(node, ast.Dict) else node.elts)
            return [value for value in found if value is not None]
        if isinstance(node, ast.Subscript) and last(node.value) in ("Literal", "Optional", "Annotated"):
            inner = index(node)
            if constant(inner) is not None:
                return [self.value(inner)]
            inner = inner.elts[0] if last(node.value) == "Annotated" and isinstance(inner, ast.Tuple) else inner
        elif isinstance(node, COMPREHENSIONS):
            inner = node.generators[0].iter
        elif isinstance(node, ast.BinOp):
            inner = node.left if isinstance(node.op, ast.BitOr) else None
        elif isinstance(node, ast.Call):
            if name in ("range", "IntRange"):
                return self.whole_numbers(node, name == "IntRange")
            if name == "dict" and node.keywords:
                return [own.arg for own in node.keywords if own.arg]
            inner = owner(node) if name == "keys" else node.args[0] if node.args and name in ("list", "sorted", "tuple", "set", "Choice") else None
        elif name == "__members__":
            inner = node.value
        elif name in self.enums:
            return list(self.enums[name].values())
        elif isinstance(node, ast.Name):
            inner = self.assigned.get(name)
        return self.values(inner, depth + 1) if inner is not None and depth < 6 else []

    def whole_numbers(self, call, is_closed):
        ends = [keyword(call, "min"), keyword(call, "max")] if keyword(call, "max") else call.args if len(call.args) > 1 else [None, *call.args]
        try:
            first, end = (int(self.value(node) if node else 0) for node in ends)
        except (TypeError, ValueError):
            return []
        return [str(number) for number in range(first, end + is_closed)] if end - first <= 1000 else []

    def find_uses(self):
        """Lists what names are compared with or looked up in: each name, and what gives its values."""
        def use(name, find, given):
            name = owner(name) if isinstance(name, ast.Call) and last(name) in ("lower", "strip") else name
            is_argument = isinstance(name, ast.Subscript) and last(name.value) == "argv"
            key = "argv[%s]" % constant(index(name)) if is_argument else "" if isinstance(name, ast.Call) else last(name)
            self.uses.setdefault(key, []).append((find, given))

        def one(node):
            return [text(node)] if text(node) is not None else []

        for node in self.nodes:
            if isinstance(node, ast.Compare):
                sides = [node.left] + node.comparators
                for left, operator, right in zip(sides, node.ops, sides[1:]):
                    if isinstance(operator, ast.Eq):
                        use(left, one, right)
                        use(right, one, left)
                    elif isinstance(operator, (ast.In, ast.NotIn)) and not (isinstance(right, ast.Call) and last(right) == "range"):
                        use(left, self.values, right)
            elif isinstance(node, ast.Subscript):
                use(index(node), self.elements, node.value)
            elif isinstance(node, ast.Call) and last(node) == "get" and owner(node) and node.args:
                use(node.args[0], self.values, owner(node))
            for case in getattr(node, "cases", []):
                for pattern in getattr(case.pattern, "patterns", [case.pattern]):
                    use(node.subject, one, getattr(pattern, "value", None))

    def elements(self, node):
        made = self.assigned.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(made, (ast.List, ast.Tuple)):  # an element of a list is chosen by its number
            return [str(number) for number in range(len(made.elts))] if len(made.elts) > 1 else []
        return self.values(node)

    def compared(self, name):
        return list(dict.fromkeys(value for find, given in self.uses.get(name, []) for value in find(given)))[:MOST]

    def subcommand(self, node, depth=0):
        """The subcommand whose parser this is, also through a group of its options."""
        made = self.assigned.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(made, ast.Call) and last(made) == "add_parser":
            return self.value(made.args[0]) if made.args else None
        is_group = isinstance(made, ast.Call) and last(made) in ("add_argument_group", "add_mutually_exclusive_group")
        return self.subcommand(owner(made), depth + 1) if is_group and depth < 4 else None

    def flagged(self, call, library, subcommand):
        """An option that a call declares by its flags."""
        names = [text(node) for node in call.args if text(node)]
        plain = {own.arg: getattr(own.value, "value", None) for own in call.keywords}
        action, required = str(plain.get("action", "")), plain.get("required")
        is_flag = action.startswith("store_") or action in ("count", "help", "version") or "BooleanOptional" in last(keyword(call, "action"))
        if not names or is_flag or plain.get("is_flag") is True or plain.get("count") is True or any("/" in name for name in names):
            return None
        flags = sorted((name for name in names if name.startswith("-")), key=lambda name: not name.startswith("--"))
        name = (self.value(keyword(call, "dest")) or flags[0].lstrip("-")) if flags else names[0]
        default = self.value(keyword(call, "default"))
        is_required = required is True or not flags and plain.get("nargs") not in ("?", "*") and required is not False
        return option(name, {"flag": flags[0]} if flags else {"position": 0}, library, default=default, is_required=is_required and default is None, subcommand=subcommand,
                      help=self.value(keyword(call, "help")), choices=self.values(keyword(call, "choices") or keyword(call, "type")))

    def declared(self):
        """Options that a script declares by calls: of argparse, click and absl."""
        names = {name for name, node in self.assigned.items() if isinstance(node, ast.Attribute) and node.attr == "add_argument"}
        has_group, commands = any(last(call) == "group" for call in self.calls), {}
        for function in self.functions.values() if has_group else []:
            for command in (own for own in function.decorator_list if last(own) == "command"):
                given = self.value(command.args[0]) if isinstance(command, ast.Call) and command.args else None
                commands.update((id(own), given or function.name.replace("_", "-")) for own in function.decorator_list)
        for call in self.calls:
            name = last(call)
            if name == "add_argument" or name in names:
                yield self.flagged(call, "argparse", self.subcommand(self.assigned[name].value if name in names else owner(call)))
            elif name in ("option", "argument") and "click" in self.text:
                yield self.flagged(call, "click", commands.get(id(call)))
            elif name in ("DEFINE_string", "DEFINE_enum", "DEFINE_integer", "DEFINE_float") and call.args and self.value(call.args[0]):
                own, given, is_enum = self.value(call.args[0]), dict(enumerate(call.args)), name == "DEFINE_enum"
                yield option(own, {"flag": "--" + own}, "absl", default=self.value(given.get(1) or keyword(call, "default")),
                             help=self.value(given.get(3 if is_enum else 2) or keyword(call, "help")),
                             choices=self.values(given.get(2) or keyword(call, "enum_values")) if is_enum else [])

    def parameter(self, name, kind, default, library, subcommand=None, comment=None):
        """An option that a library makes of a parameter or of a field."""
        told = [default, *(ast.walk(kind) if kind else [])]
        told = [node for node in told if isinstance(node, ast.Call) and last(node) in ("Option", "Argument", "field")]
        if last(kind) == "bool" or name == "self":
            return None
        if default in told:
            plain = keyword(default, "default", "default_factory") or next(iter(default.args), None)
            default = None if getattr(plain, "value", None) is ... else plain
        is_option = library != "typer" or any(last(node) == "Option" for node in told) or not told and default is not None
        flag = "--" + (name.replace("_", "-") if library in ("typer", "tyro") else name)
        help, choices = None, self.values(kind)
        for node in told:
            metadata = keyword(node, "metadata")
            keys = dict(zip(map(text, metadata.keys), metadata.values)) if isinstance(metadata, ast.Dict) else {}
            help = help or self.value(keyword(node, "help") or keys.get("help"))
            choices = choices or (self.whole_numbers(node, True) if keyword(node, "max") else [])
        return option(name, {"flag": flag} if is_option else {"position": 0}, library, default=self.value(default), is_required=default is None, subcommand=subcommand,
                      help=help or comment, choices=choices)

    def made(self):
        """Options that libraries make of functions (typer, fire) and of data classes."""
        is_typer = "typer" in self.text
        names = [(last(call.args[0]), "fire" if last(call) == "Fire" else "typer") for call in self.calls if call.args and (last(call) == "Fire" or is_typer and last(call) == "run")]
        names += [(name, "typer") for name, own in reversed(list(self.functions.items())) if is_typer and any(last(one) == "command" for one in own.decorator_list)]
        names = [(name, library) for name, library in dict(names).items() if name in self.functions]
        for name, library in names:
            own = self.functions[name].args
            defaults = [None] * (len(own.args) - len(own.defaults)) + own.defaults + own.kw_defaults
            for argument, default in zip(own.args + own.kwonlyargs, defaults):
                yield self.parameter(argument.arg, argument.annotation, default, library, name.replace("_", "-") if len(names) > 1 else None)
        library = next((library for word, library in CLASSES.items() if word in self.text), None)
        classes = [node for node in self.nodes if library and isinstance(node, ast.ClassDef) and any(last(own) == "dataclass" for own in node.decorator_list)]
        for own in (own for node in classes for own in node.body if isinstance(own, ast.AnnAssign)):
            yield self.parameter(last(own.target), own.annotation, own.value, library, comment=self.comment(own))

    def begin(self, node):
        """Where in the command line a list of arguments begins: `sys.argv[1:]` at 1."""
        if isinstance(node, ast.Subscript) and isinstance(index(node), ast.Slice):
            begin = self.begin(node.value)
            return None if begin is None else begin + (whole(index(node).lower) or 0)
        if isinstance(node, ast.Call):
            return self.begin(node.args[1]) if last(node) == "map" and len(node.args) == 2 else None
        return 0 if last(node) == "argv" else self.lists.get(last(node))

    def numbers(self, node):
        """The numbers of the arguments that an expression reads."""
        reads = [(self.begin(own.value), whole(index(own))) for own in inside(node, ast.Subscript)]
        return [begin + number for begin, number in reads if begin is not None and number is not None]

    def arguments(self):
        """Options that a script reads from `sys.argv`."""
        found = {}
        for node in self.nodes:
            for name, value in pairs(node):
                begin, numbers, comment = self.begin(value), self.numbers(value), self.comment(node)
                if numbers:
                    default = self.value(value.orelse) if isinstance(value, ast.IfExp) else None
                    found.setdefault(numbers[0], (last(name), comment, any(last(own) == "len" for own in inside(value, ast.Call)), default))
                elif begin is not None and isinstance(name, ast.Tuple):
                    found.update((begin + at, (last(own), comment, False, None)) for at, own in enumerate(name.elts) if begin + at)
                elif begin is not None:
                    self.lists[last(name)] = begin
            if isinstance(node, ast.Call) and last(node) in ("seed", "manual_seed"):
                found.update((number, ("seed", None, False, None)) for number in self.numbers(node) if number not in found)
        for number, (name, comment, is_optional, default) in sorted(found.items()):
            yield option(name.lower(), {"position": number}, "sys.argv", is_required=not is_optional, help=comment, default=default, choices=self.compared(name))

    def variables(self):
        """Variables of the environment that a script reads."""
        names = {id(own): (last(name), node) for node in self.nodes for name, value in pairs(node) for own in inside(value, (ast.Call, ast.Subscript))}
        for node in self.nodes:
            is_call = isinstance(node, ast.Call) and node.args and (last(node) == "getenv" or last(node) == "get" and last(owner(node)) == "environ")
            is_read = isinstance(node, ast.Subscript) and last(node.value) == "environ"
            variable = text(node.args[0]) if is_call else text(index(node)) if is_read else None
            if variable:
                name, statement = names.get(id(node), ("", node))
                yield option(variable.lower(), {"variable": variable}, "environment", default=self.value(node.args[1]) if is_call and len(node.args) > 1 else None,
                             choices=self.compared(name) if name else [], help=self.comment(statement))

    def hydra(self, directory):
        """The keys and groups of the YAML file that `hydra.main` names. Of YAML: `key: value`, one level below a key, and `defaults`."""
        call = next((own for own in self.calls if last(own) == "main" and keyword(own, "config_path", "config_name")), None)
        place = os.path.join(directory, self.value(keyword(call, "config_path")) or "") if call else directory
        name = (self.value(keyword(call, "config_name")) if call else None) or "config"
        path, parent = os.path.join(place, name[:-5] if name.endswith(".yaml") else name) + ".yaml", ""
        for line in open(path, encoding="utf-8", errors="replace") if call and os.path.isfile(path) else []:
            code, _, comment = line.partition(" #")
            key, colon, value = (part.strip() for part in code.strip().lstrip("- ").replace("override ", "").partition(":"))
            is_nested, value = code[:1] in " -", value.strip("\"'")
            if not colon or key.startswith("#") or code.lstrip().startswith("-") and parent != "defaults":
                continue
            if parent == "defaults" and is_nested:
                group = os.path.join(place, key)
                names = sorted(own[:-5] for own in os.listdir(group) if own.endswith(".yaml")) if os.path.isdir(group) else []
                yield option(key, {"joined": key}, "hydra", default=value, choices=names)
                continue
            parent, key = (parent, parent + "." + key) if is_nested else (key, key)
            if value:
                yield option(key, {"joined": key}, "hydra", is_required=value == "???", default=None if value in ("???", "null") else value, help=comment.strip() or None)

    def options(self, directory):
        found = {}
        for own in [*self.declared(), *self.made()]:
            if own:
                found.setdefault((own["name"], own["subcommand"]), own)
        reads_arguments = "argv" in self.text
        found = list(found.values()) or (list(self.arguments()) if reads_arguments else [])
        reads_rest = reads_arguments and any(self.begin(node) == 2 for node in self.nodes if isinstance(node, ast.Subscript))
        first = [choice for choice in self.compared("argv[1]") if not choice.startswith("-")]
        if len(first) > 1 and not any(own["subcommand"] for own in found) and (not found or reads_rest and found[0]["library"] != "sys.argv"):
            found.insert(0, option("subcommand", {"position": 1}, "sys.argv", choices=first, is_required=True))
        positions = {}
        for own in found:
            if "position" in own["written"]:
                positions[own["subcommand"]] = own["written"]["position"] = positions.get(own["subcommand"], 0) + 1
        known = {own["name"] for own in found}
        if "environ" in self.text or "getenv" in self.text:
            found += [own for own in self.variables() if own["name"] not in known]
        for own in found:
            own["choices"] = own["choices"] or self.compared(own["name"])
        return (found + list(self.hydra(directory)))[:MOST]

    def render(self, node):
        """The text that is printed of an expression, with 0.5 for what is computed."""
        made = self.assigned.get(node.id) if isinstance(node, ast.Name) else None
        node = made if isinstance(made, (ast.Dict, ast.JoinedStr)) else node
        if text(node) is not None:
            return text(node)
        if isinstance(node, ast.JoinedStr):
            specs = [getattr(own, "format_spec", None) for own in node.values]
            specs = [text(spec.values[-1]) if spec and spec.values else None for spec in specs]
            return "".join(field(spec) if isinstance(own, ast.FormattedValue) else str(text(own)) for own, spec in zip(node.values, specs))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and text(node.left) is not None:
            return percents(text(node.left))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.render(node.left), self.render(node.right)]
            return "".join(parts) if parts != [NUMBER, NUMBER] else NUMBER
        if isinstance(node, ast.Call) and last(node) == "format" and text(owner(node)) is not None:
            return braces(text(owner(node)))
        if isinstance(node, ast.Dict):
            return "{%s}" % ", ".join("'%s': %s" % (text(key), NUMBER) for key in node.keys if text(key) is not None)
        is_report = isinstance(node, ast.Call) and last(node) == "classification_report"
        return "accuracy                           0.5       300" if is_report else NUMBER

    def sample(self, node, line):
        products = [(constant(own.left), constant(own.right)) for own in inside(node, ast.BinOp) if isinstance(own.op, ast.Mult)]
        return {"line": node.lineno, "text": line[:MOST], "is_hundredfold": any(100 in both for both in products)}

    def printed(self):
        for call in self.calls:
            if last(call) in PRINTS and call.args:
                first, separator = self.render(call.args[0]), text(keyword(call, "sep"))
                is_format = last(call) != "print" and len(call.args) > 1 and isinstance(call.args[0], (ast.Constant, ast.JoinedStr))
                parts = [first, *map(self.render, call.args[1:])]
                yield self.sample(call, percents(first) if is_format else (" " if separator is None else separator).join(parts))

    def results(self):
        """Dicts that are printed as JSON: their lines and keys."""
        printed = {id(own) for call in self.calls if last(call) in PRINTS for own in call.args}
        for call in self.calls:
            if last(call) in ("dumps", "dump") and call.args and (id(call) in printed or "FIESTA_RESULT" in self.text):
                made = self.assigned.get(last(call.args[0])) if isinstance(call.args[0], ast.Name) else call.args[0]
                if isinstance(made, ast.Dict) or isinstance(made, ast.Call) and last(made) == "dict":
                    yield {"line": call.lineno, "keys": self.values(made)[:100]}

    def folds(self, options):
        """What tells how many folds there are: numbers, or options whose values are numbers."""
        def reading(end, of=None, first=None, more=0, depth=0):
            if last(end) not in options and isinstance(end, ast.Name) and depth < 4:
                return reading(self.assigned.get(end.id), of, first, more, depth + 1)
            number = whole(end) if whole(end) is not None and 0 <= whole(end) < 1 << 32 else None
            return {"of": of, "first": first, "option": last(end) if last(end) in options else None, "end": number, "more": more}

        def between(name, bounds):
            if isinstance(bounds, ast.Call) and last(bounds) == "range" and 0 < len(bounds.args) < 3 and last(name):
                yield reading(bounds.args[-1], last(name).lower(), whole(bounds.args[0]) if len(bounds.args) == 2 else 0)

        for node in self.nodes:
            named = [(last(name), value) for name, value in pairs(node) if not (isinstance(node, ast.AnnAssign) and last(name) in options)]
            if isinstance(node, ast.Call):
                named = [(own.arg or "", own.value) for own in node.keywords]
                if last(node) in FOLDS:
                    given = keyword(node, "n_splits") or next(iter(node.args), None)
                    yield reading(given) if given else {**reading(None), "end": FOLDS[last(node)]}
            yield from (reading(value) for name, value in named if name.lower() in COUNTS and constant(value) is not None)
            for loop in [node] if isinstance(node, ast.For) else getattr(node, "generators", []):
                yield from between(loop.target, loop.iter)
            test = node if isinstance(node, ast.Compare) else getattr(node, "test", None)
            if not isinstance(test, ast.Compare) or not last(test.left) and len(test.ops) == 1:
                continue
            right, operator = test.comparators, test.ops[0]
            if isinstance(node, ast.Compare) and isinstance(operator, (ast.In, ast.NotIn)):
                yield from between(test.left, right[0])
            elif len(right) == 2 and whole(test.left) in (0, 1) and isinstance(operator, ast.LtE) and isinstance(test.ops[1], (ast.Lt, ast.LtE)) and last(right[0]):
                yield reading(right[1], last(right[0]).lower(), whole(test.left), int(isinstance(test.ops[1], ast.LtE)))
            elif len(right) == 1 and isinstance(node, ast.Assert) and isinstance(operator, ast.Lt):
                yield reading(right[0], last(test.left).lower(), 0)
            elif len(right) == 1 and isinstance(node, ast.If) and isinstance(operator, ast.GtE):
                if isinstance(node.body[0], ast.Raise) or last(getattr(node.body[0], "value", None)) in ("exit", "error"):
                    yield reading(right[0], last(test.left).lower(), 0)

    def facts(self, directory):
        options = self.options(directory)
        shuffles = [own for call in self.calls if last(call) in SHUFFLES for given in [*call.args, *call.keywords] for own in ast.walk(given)]
        constants = [(last(name), constant(value), node.lineno) for node in self.nodes for name, value in pairs(node) if isinstance(name, ast.Name)]
        docopt = [text(node) for node in inside(self.tree, ast.Constant)] if any(last(call) == "docopt" for call in self.calls) else []
        folds = [own for own in self.folds({own["name"] for own in options}) if own["end"] is not None or own["option"]]
        return {"options": options, "docopt": [own for own in docopt if own and "usage:" in own.lower()][:1],
                "results": list(self.results())[:MOST], "printed": list(self.printed())[:MOST], "folds": folds[:MOST],
                "texts": [self.sample(node, self.render(node)) for node in self.nodes if isinstance(node, ast.JoinedStr)][:MOST],
                "constants": [{"name": name, "value": str(value), "line": line} for name, value, line in constants if value is not None][:MOST],
                "are_repeated": any(last(call) in ("RepeatedKFold", "RepeatedStratifiedKFold") for call in self.calls),
                "shuffled_by": sorted({last(own) or text(own) or "" for own in shuffles})[:MOST]}


def main(path):
    try:
        facts = Reader(path).facts(os.path.dirname(path))
    except SyntaxError as error:
        facts = {"problem": "line %s is no Python %d.%d: %s" % (error.lineno or 1, *sys.version_info[:2], error.msg)}
    except (RecursionError, MemoryError):
        facts = {"problem": "it nests too deep"}
    except Exception as error:
        facts = {"problem": "%s: %s" % (type(error).__name__, error)}
    sys.stdout.buffer.write(json.dumps(facts, ensure_ascii=False).encode("utf-8", "replace"))


if sys.version_info < (3, 8):
    sys.exit("only Python 3.8 and later ones can read it")
main(sys.argv[1])
