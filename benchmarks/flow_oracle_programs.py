"""Generates programs for `flow_oracle.py`: tool answers that reach other tools' arguments along many paths.

The families share the fake servers and nothing else. The programs of `tuned` and `second` were looked at while the
analysis was written. Those of `held out` use other templates; their misses were only counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

CUSTOMER = {"id": "cus", "name": "name", "email": "email", "phone": "tel", "score": "number", "active": "flag"}
ORDER = {"id": "ord", "customer_id": "cus", "amount": "number", "status": "state", "item": "item"}
PERSON = {"login": "user", "email": "email"}
MAIL = {"id": "mail", "sender": "email", "subject": "name", "unread": "flag"}
FILE = {"name": "file", "url": "url"}
ISSUE = {
    "number": "no",
    "title": "name",
    "body": "text",
    "labels": ["tag"],
    "assignee": {"login": "user", "email": "email"},
}
# Tool → the names of its arguments and the shape of its answer: a leaf, a list of one shape, or a dict.
ANSWERS: dict[str, tuple[list[str], object]] = {
    "crm.list_customers": (["limit", "region"], {"customers": [CUSTOMER], "total": "number"}),
    "crm.get_customer": (
        ["customer_id"],
        {**CUSTOMER, "address": {"city": "city", "street": "street"}, "notes": [{"text": "text", "author": "name"}]},
    ),
    "shop.list_orders": (["status", "limit", "customer_id"], {"orders": [ORDER], "next": "page"}),
    "shop.get_order": (["order_id"], {**ORDER, "lines": [{"sku": "sku", "price": "number", "title": "name"}]}),
    "mail.list_inbox": (
        ["unread"],
        {"mails": [MAIL]},
    ),
    "mail.read_mail": (
        ["id"],
        {"id": "mail", "body": "text", "sender": "email", "files": [FILE]},
    ),
    "web.fetch_page": (["url"], {"title": "name", "text": "text", "links": ["url"]}),
    "web.search_web": (["query"], [{"title": "name", "url": "url", "snippet": "text"}]),
    "files.read_text_file": (["path"], "text"),
    "tracker.list_issues": (["repo", "state"], [ISSUE]),
    "notes.search_notes": (["query"], [{"path": "path", "text": "text", "owner": "name"}]),
    "mail.send_email": (["to", "subject", "body", "cc"], {"id": "sent"}),
    "chat.post_message": (["channel", "text"], {"id": "post"}),
    "tracker.create_issue": (["repo", "title", "body", "labels"], {"number": "no"}),
    "tracker.close_issue": (["number", "comment"], {"number": "no"}),
    "crm.update_customer": (["customer_id", "fields", "note"], {"id": "cus"}),
    "crm.delete_customer": (["customer_id"], {"id": "cus"}),
    "files.write_text_file": (["path", "content"], {"path": "path"}),
    "shop.refund_order": (["order_id", "amount", "reason"], {"id": "ref"}),
    "calendar.create_event": (["title", "attendees", "notes"], {"id": "ev"}),
}
READING = tuple(name for name in ANSWERS if name.split(".")[1].startswith(("list", "get", "read", "fetch", "search")))
IMPORTS = "".join(
    f"from servers.{server} import {', '.join(name.split('.')[1] for name in ANSWERS if name.startswith(server))}\n"
    for server in dict.fromkeys(name.split(".")[0] for name in ANSWERS)
)


class Writer:
    """Writes one program: lines, and expressions that hold texts, each used by later lines."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.texts: list[str] = []  # expressions of texts that are in scope
        self.number = 0

    def new(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    def line(self, text: str) -> None:
        self.lines += ["    " * self.depth + part for part in text.split("\n")]

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        return self.chance.choice(self.texts) if self.texts else repr(self.pick("hello", "weekly", "report"))

    def code(self) -> str:
        return IMPORTS + "\n".join(self.lines) + "\n"


# ── Rows: statements that leave a list of rows, with the expressions of their fields ────────────────────
def _rows(w: Writer) -> tuple[str, list[str]]:
    """Read rows. Returns the list and the keys of its rows' texts."""
    rows = w.new("rows")
    kind = w.chance.randrange(5)
    if kind == 0:
        w.line(f"page = await list_customers(limit={w.chance.randint(2, 50)})\n{rows} = page['customers']")
        return rows, ["id", "name", "email", "phone"]
    if kind == 1:
        w.line(f"{rows} = (await list_orders(status='open'))['orders']")
        return rows, ["id", "customer_id", "item"]
    if kind == 2:
        w.line(f"{rows} = (await list_inbox(unread=True)).get('mails', [])")
        return rows, ["id", "sender", "subject"]
    if kind == 3:
        w.line(f"{rows} = await list_issues(repo='acme/app', state='open')")
        return rows, ["number", "title", "body"]
    w.line(f"{rows} = await search_notes(query='launch')")
    return rows, ["path", "text", "owner"]


def _detail(w: Writer, row: str, keys: list[str]) -> list[str]:
    """Look something up with an id of a row. Returns expressions of texts of the answer."""
    found = w.new("detail")
    ident = f"{row}['{keys[0]}']"
    kind = w.chance.randrange(4)
    if kind == 0:
        w.line(f"{found} = await get_customer(customer_id={ident})")
        return [f"{found}['email']", f"{found}['name']", f"{found}['address']['city']", f"{found}.get('phone')"]
    if kind == 1:
        w.line(f"{found} = await get_order({{'order_id': {ident}}})")
        return [f"{found}['item']", f"{found}['lines'][0]['title']", f"', '.join(l['sku'] for l in {found}['lines'])"]
    if kind == 2:
        w.line(f"{found} = (await read_mail(id={ident}))['body']")
        return [f"re.search(r'[\\w.]+@[\\w.]+', {found}).group(0)", f"{found}.splitlines()[0]", f"{found}[:60]"]
    w.line(f"{found} = await fetch_page(url='https://wiki.example/' + {ident})")
    return [f"{found}['title']", f"{found}['text'].strip()", f"{found}['links'][0]"]


def _wrapped(w: Writer, text: str) -> str:
    """Return an expression that holds this text, and maybe another one."""
    other = w.text()
    return w.chance.choice(
        (
            text, text, text,
            f"f'Dear {{{text}}}, see below'" if "'" not in text else f'f"Dear {{{text}}}"',
            f"'<' + str({text}) + '>'",
            f"str({text}).upper()",
            f"'{{}} / {{}}'.format({text}, {other})",
            f"'%s: %s' % ({text}, {other})",
            f"', '.join([{text}, {other}])",
            f"({text} or 'none')",
            f"json.dumps({{'value': {text}}})",
            f"clean({text})",
            f"{{'a': {text}, 'b': {other}}}['a']",
            f"[{text}, {other}][0]",
            f"max([{text}], key=len)",
            f"re.sub(r'urgent', 'now', {text})",
            f"(lambda v: v.strip())({text})",
            f"next(iter([{text}]))",
            f"{text} if len({other}) > 3 else 'short'",
        )
    )  # fmt: skip


SINKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("send_email", ("to", "subject", "body")),
    ("post_message", ("channel", "text")),
    ("create_issue", ("repo", "title", "body")),
    ("update_customer", ("customer_id", "note")),
    ("delete_customer", ("customer_id",)),
    ("write_text_file", ("path", "content")),
    ("refund_order", ("order_id", "reason")),
    ("create_event", ("title", "notes")),
)


def _sink(w: Writer) -> None:
    name, arguments = w.chance.choice(SINKS)
    given = []
    for argument in arguments:
        value = _wrapped(w, w.text()) if w.chance.random() < 0.75 else repr(w.pick("ops", "bob@acme.example", "A-1"))
        given.append((argument, value))
    if w.chance.random() < 0.2:
        w.line(f"await {name}({{{', '.join(f'{key!r}: {value}' for key, value in given)}}})")
    elif w.chance.random() < 0.15:
        kwargs = w.new("given")
        w.line(f"{kwargs} = dict({', '.join(f'{key}={value}' for key, value in given)})\nawait {name}(**{kwargs})")
    else:
        w.line(f"await {name}({', '.join(f'{key}={value}' for key, value in given)})")


def _tuned(w: Writer) -> None:
    w.line("def clean(text):\n    return str(text).strip().replace('\\n', ' ')")
    for _ in range(w.chance.randint(1, 2)):
        rows, keys = _rows(w)
        w.chance.choice(_TUNED)(w, rows, keys)
    if w.chance.random() < 0.5:
        _sink(w)


def _in_a_loop(w: Writer, rows: str, keys: list[str]) -> None:
    kept, row = list(w.texts), w.new("row")
    w.line(f"for {row} in {rows}:")
    w.depth += 1
    w.texts += [f"{row}['{key}']" for key in keys]
    if w.chance.random() < 0.7:
        w.texts = [*_detail(w, row, keys), *w.texts[-2:]]
    _sink(w)
    w.depth -= 1
    w.texts = kept


def _renamed(w: Writer, rows: str, keys: list[str]) -> None:
    made, one = w.new("made"), w.new("one")
    w.line(f"{made} = []\nfor r in {rows}:")
    w.depth += 1
    texts = [f"r['{key}']" for key in keys] + _detail(w, "r", keys)
    first, second, third = w.chance.sample(texts, 3)
    w.line(f"{made}.append({{'who': {first}, 'what': {second}, 'note': {third}}})")
    w.depth -= 1
    w.line(f"for {one} in {made}:")
    w.depth += 1
    kept, w.texts = w.texts, [f"{one}['{key}']" for key in ("who", "what", "note")]
    _sink(w)
    w.depth -= 1
    w.texts = kept


def _by_id(w: Writer, rows: str, keys: list[str]) -> None:
    table, row = w.new("table"), w.new("row")
    w.line(f"{table} = {{r['{keys[0]}']: r['{keys[-1]}'] for r in {rows}}}\n{row} = {rows}[0]")
    w.texts += [f"{table}[{row}['{keys[0]}']]", f"{table}.get({row}['{keys[0]}'], '')", f"'; '.join({table}.values())"]
    _sink(w)


def _filtered(w: Writer, rows: str, keys: list[str]) -> None:
    some = w.new("some")
    w.line(f"{some} = sorted((r for r in {rows} if r['{keys[0]}']), key=lambda r: r['{keys[1]}'], reverse=True)[:3]")
    w.texts += [f"{some}[0]['{keys[1]}']", f"' '.join(r['{keys[-1]}'] for r in {some})", f"str({some})"]
    w.line(f"{w.new('lines')} = ['- ' + r['{keys[1]}'] for r in {some}]")
    w.texts.append(f"chr(10).join({'lines' + str(w.number)})")
    _sink(w)


def _zipped(w: Writer, rows: str, keys: list[str]) -> None:
    others, more = _rows(w)
    one, other = w.new("one"), w.new("other")
    w.line(f"for {w.new('n')}, ({one}, {other}) in enumerate(zip({rows}, {others})):")
    w.depth += 1
    kept, w.texts = w.texts, [f"{one}['{keys[1]}']", f"{other}['{more[1]}']"]
    _sink(w)
    w.depth -= 1
    w.texts = kept


def _grouped(w: Writer, rows: str, keys: list[str]) -> None:
    groups, key, ones = w.new("groups"), w.new("key"), w.new("ones")
    w.line(f"{groups} = {{}}\nfor r in {rows}:\n    {groups}.setdefault(r['{keys[0]}'], []).append(r['{keys[-1]}'])")
    w.line(f"for {key}, {ones} in {groups}.items():")
    w.depth += 1
    kept, w.texts = w.texts, [key, f"', '.join({ones})", f"{ones}[0]", *w.texts[:1]]
    _sink(w)
    w.depth -= 1
    w.texts = kept


def _helper(w: Writer, rows: str, keys: list[str]) -> None:
    name = w.new("describe")
    w.line(f"def {name}(row, title='x'):\n    return f\"{{row['{keys[1]}']}} ({{title}})\"")
    w.texts += [f"{name}({rows}[0])", f"{name}({rows}[-1], title={w.text()})"]
    _sink(w)


def _gathered(w: Writer, rows: str, keys: list[str]) -> None:
    found = w.new("found")
    w.line(f"{found} = await asyncio.gather(*[get_customer(customer_id=r['{keys[0]}']) for r in {rows}])")
    one = w.new("one")
    w.texts += [f"{found}[0]['email']", f"', '.join(c['name'] for c in {found})"]
    w.line(f"for r, {one} in zip({rows}, {found}):")
    w.depth += 1
    kept, w.texts = w.texts, [f"r['{keys[1]}']", f"{one}['email']"]
    _sink(w)
    w.depth -= 1
    w.texts = kept


def _branching(w: Writer, rows: str, keys: list[str]) -> None:
    value = w.new("value")
    other = w.text()
    w.line(
        f"{value} = 'none'\nif len({rows}) > 2:\n    {value} = {rows}[0]['{keys[1]}']\n"
        f"elif {rows}:\n    {value} = {other}"
    )
    w.texts.append(value)
    _sink(w)


_TUNED: tuple[Callable[[Writer, str, list[str]], None], ...] = (
    _in_a_loop, _in_a_loop, _renamed, _by_id, _filtered, _zipped, _grouped, _helper, _gathered, _branching,
)  # fmt: skip


# ── Second family: other templates ───────────────────────────────────────────────────────────────────────────
def _second(w: Writer) -> None:
    for _ in range(w.chance.randint(1, 2)):
        w.chance.choice(_SECOND)(w)


def _plain_sink(w: Writer, *texts: str) -> None:
    name, arguments = w.chance.choice(SINKS)
    given = {argument: w.chance.choice(texts) for argument in arguments}
    if w.chance.random() < 0.3:
        given[arguments[-1]] = repr("fixed")
    w.line(f"await {name}({', '.join(f'{key}={value}' for key, value in given.items())})")


def _main_function(w: Writer) -> None:
    name = w.new("main")
    w.line(f"async def {name}():")
    w.depth += 1
    rows, keys = _rows(w)
    w.line(f"async def load(row):\n    return row, await read_mail(id=row['{keys[0]}'])")
    w.line(f"pairs = [await load(row) for row in {rows}]\nfor row, mail in pairs:\n    if not mail:\n        continue")
    w.depth += 1
    _plain_sink(w, f"row['{keys[1]}']", "mail['sender']", "mail['files'][0]['url']", "mail['body'].split('\\n', 1)[0]")
    w.depth -= 2
    w.line(f"await {name}()")


def _dataclass(w: Writer) -> None:
    kind = w.new("Entry")
    rows, keys = _rows(w)
    w.line(
        f"from dataclasses import dataclass, field\n@dataclass\nclass {kind}:\n    key: str\n    label: str\n"
        "    extra: list = field(default_factory=list)\n"
        f"    def line(self):\n        return f'{{self.key}}: {{self.label}}'"
    )
    w.line(f"entries = [{kind}(key=r['{keys[0]}'], label=r['{keys[1]}']) for r in {rows}]\nfor e in entries:")
    w.depth += 1
    w.line("page = await fetch_page(url='https://x.example')\ne.extra.append(page['title'])")
    w.depth -= 1
    w.line("for e in entries:")
    w.depth += 1
    _plain_sink(w, "e.key", "e.label", "e.line()", "e.extra[0]", "' '.join(e.extra)")
    w.depth -= 1


def _generator(w: Writer) -> None:
    name = w.new("walk")
    w.line(
        f"async def {name}(status):\n    page = await list_orders(status=status)\n    while page['orders']:\n"
        f"        for order in page['orders']:\n            yield order['id'], order['item']\n        break"
    )
    w.line(f"async for ident, item in {name}('open'):")
    w.depth += 1
    w.line("info = await get_order(order_id=ident)")
    _plain_sink(w, "ident", "item", "info['lines'][-1]['title']", "f'{item} {info[\"id\"]}'")
    w.depth -= 1


def _queue(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(f"todo = [r['{keys[0]}'] for r in {rows}]\nseen = set()\ndone = []\nwhile todo:")
    w.depth += 1
    w.line("current = todo.pop(0)\nif current in seen:\n    continue\nseen.add(current)")
    w.line("info = await get_customer(customer_id=current)\ndone.append((current, info['name']))")
    w.depth -= 1
    w.line("for ident, name in sorted(done):")
    w.depth += 1
    _plain_sink(w, "ident", "name", "name.title()", "'-'.join((ident, name))")
    w.depth -= 1


def _reduced(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(
        f"from functools import reduce, partial\nfrom itertools import chain\n"
        f"whole = reduce(lambda text, r: text + r['{keys[1]}'] + ';', {rows}, '')\n"
        f"flat = list(chain.from_iterable([[r['{keys[0]}'], r['{keys[-1]}']] for r in {rows}]))\n"
        f"names = list(map(lambda r: r['{keys[1]}'].lower(), {rows}))\nshout = partial('{{}} {{}}'.format, 'note:')"
    )
    _plain_sink(w, "whole", "flat[0]", "names[0]", "shout(names[-1])", "str(dict(zip(flat, names)))")


def _matching(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(
        f"first, *rest = {rows}\nmatch first:\n    case {{'{keys[1]}': found}}:\n        pass\n"
        "    case _:\n        found = ''"
    )
    w.line(f"text = await read_text_file(path='notes.md')\n(a, b), c = (text[:30], found), rest[0]['{keys[0]}']")
    _plain_sink(w, "found", "a", "b", "c", "f'{a}{c}'")


def _report(w: Writer) -> None:
    orders = w.new("orders")
    w.line(
        f"{orders} = (await list_orders(status='open', limit=100))['orders']\n"
        "from collections import Counter, defaultdict\nsums = defaultdict(float)\n"
        f"for o in {orders}:\n    sums[o['customer_id']] += o['amount']\n"
        "best = max(sums, key=sums.get)\nwho = await get_customer(customer_id=best)\n"
        f"items = Counter(o['item'] for o in {orders})\n"
        "table = '\\n'.join(f'{key}: {value:.2f}' for key, value in sorted(sums.items(), key=lambda kv: -kv[1]))\n"
        "lines = ['Report', table]\nlines += [f\"Best: {who['name']}\"]\ncommon = items.most_common(1)[0][0]"
    )
    _plain_sink(w, "table", "best", "who['email']", "'\\n'.join(lines)", "common", "str(sum(sums.values()))")


def _tried(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(f"state = {{'last': None, 'all': []}}\nfor r in {rows}:\n    try:")
    w.depth += 2
    w.line(f"page = await fetch_page(url=f\"https://x.example/{{r['{keys[0]}']}}\")\nstate['last'] = page['title']")
    w.line("state['all'].extend(page['links'])")
    w.depth -= 1
    w.line(f"except Exception as error:\n    state['last'] = r['{keys[1]}']")
    w.depth -= 1
    w.line("last, links = state['last'], state['all']")
    _plain_sink(w, "last", "links[0]", "' '.join(set(links))", "f'{last}: {links}'", "state['last'] or 'none'")


_SECOND: tuple[Callable[[Writer], None], ...] = (
    _main_function, _dataclass, _generator, _queue, _reduced, _matching, _report, _tried,
)  # fmt: skip


# ── Held out ────────────────────────────────────────────────────────────────────────────────────────────
def _held_out(w: Writer) -> None:
    for _ in range(w.chance.randint(1, 2)):
        w.chance.choice(_HELD_OUT)(w)


def _pipeline(w: Writer) -> None:
    rows, keys = _rows(w)
    steps = w.new("steps")
    w.line(
        f"def pluck(field):\n    return lambda row: row[field]\n"
        f"{steps} = [pluck('{keys[1]}'), str.strip, lambda text: text + '!']\n"
        "def run(value, functions):\n    for function in functions:\n        value = function(value)\n"
        "    return value\n"
        f"done = [run(row, {steps}) for row in {rows}]\nmail = await read_mail(id={rows}[0]['{keys[0]}'])"
    )
    _plain_sink(w, "done[0]", "' '.join(done)", "mail['sender']", "f'{done[-1]} {mail[\"id\"]}'")


def _decorated(w: Writer) -> None:
    name = w.new("load")
    w.line(
        "import functools\ndef logged(function):\n    @functools.wraps(function)\n"
        "    async def inner(*args, **kwargs):\n        answer = await function(*args, **kwargs)\n"
        "        print('called', function.__name__)\n        return answer\n    return inner\n"
        f"@logged\nasync def {name}(ident, *, field='name'):\n    found = await get_customer(customer_id=ident)\n"
        "    return found[field]"
    )
    rows, keys = _rows(w)
    w.line(f"for row in {rows}:\n    value = await {name}(row['{keys[0]}'], field='email')")
    w.depth += 1
    _plain_sink(w, "value", f"row['{keys[1]}']", f"value + row['{keys[-1]}']")
    w.depth -= 1


def _state_class(w: Writer) -> None:
    kind = w.new("Agent")
    w.line(
        f"class {kind}:\n    def __init__(self):\n        self.memory = {{}}\n        self.log = []\n"
        "    async def learn(self, key, work):\n        self.memory[key] = await work\n        self.log.append(key)\n"
        "        return self.memory[key]\n    def recall(self, key, default=None):\n"
        "        return self.memory.get(key, default)\n    @property\n    def story(self):\n"
        f"        return ' > '.join(self.log)\nagent = {kind}()"
    )
    rows, keys = _rows(w)
    w.line(
        f"text = await agent.learn('page', fetch_page(url='https://a.example'))\n"
        f"for row in {rows}:\n    await agent.learn(row['{keys[0]}'], read_text_file(path='x'))"
    )
    _plain_sink(w, "text['title']", "agent.story", "agent.log[-1]", f"{rows}[0]['{keys[1]}']")


def _columns(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(
        f"columns = {{'first': [], 'second': []}}\nfor row in {rows}:\n"
        f"    columns['first'].append(row['{keys[0]}'])\n"
        f"    more = await get_order(order_id=row['{keys[0]}'])\n    columns['second'].append(more['item'])\n"
        "table = [list(pair) for pair in zip(columns['first'], columns['second'])]\n"
        "head, tail = table[0], table[1:]\nwidest = max(len(cell) for line in table for cell in line)\n"
        "rendered = '\\n'.join(' | '.join(cell.ljust(widest) for cell in line) for line in table)"
    )
    _plain_sink(w, "rendered", "head[0]", "head[1]", "tail[0][1]", "columns['second'][0]", "str(widest)")


def _workers(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(
        f"jobs = asyncio.Queue()\nresults = []\nfor row in {rows}:\n    jobs.put_nowait(row['{keys[0]}'])\n"
        "async def worker(name):\n    while not jobs.empty():\n        job = await jobs.get()\n"
        "        issue = await list_issues(repo=job)\n"
        "        results.append({'job': job, 'title': issue[0]['title']})\n"
        "await asyncio.gather(worker('a'), worker('b'))\nresults.sort(key=lambda one: one['job'])\nfor one in results:"
    )
    w.depth += 1
    _plain_sink(w, "one['job']", "one['title']", "'{job}: {title}'.format(**one)", "'%(title)s' % one")
    w.depth -= 1


def _lookups(w: Writer) -> None:
    w.line(
        "people = {c['id']: c for c in (await list_customers())['customers']}\n"
        "orders = {o['id']: o for o in (await list_orders())['orders']}\n"
        "nobody = {'name': 'nobody', 'email': ''}\n"
        "linked = [{**people.get(o['customer_id'], nobody), 'item': o['item']} for o in orders.values()]\n"
        "newest = list(orders)[-1]\nowner = next((p for p in people.values() if p['active']), None) or "
        "next(iter(people.values()))\nby_state = {}\nfor o in orders.values():\n"
        "    by_state[o['status']] = by_state.get(o['status'], []) + [o['item']]"
    )
    _plain_sink(
        w, "linked[0]['item']", "linked[0]['name']", "newest", "owner['email']",
        "', '.join(sum(by_state.values(), []))", "orders[newest]['item']", "next(iter(people))",
    )  # fmt: skip


def _texts(w: Writer) -> None:
    w.line(
        "mail = await read_mail(id='M-1')\nlines = mail['body'].splitlines()\n"
        "header, _, body = mail['body'].partition('\\n')\n"
        "found = re.search(r'(?P<host>https://\\S+)', mail['body'])\nlink = found['host'] if found else ''\n"
        "page = await fetch_page(url=link)\nwords = [word for line in lines for word in line.split()]\n"
        "import textwrap, html, base64\nsafe = html.escape(page['text'])\n"
        "quoted = textwrap.indent(mail['body'], '> ')\n"
        "both = f'{quoted}\\n{page[\"title\"]:>10}'\nkind, *_ = header.split(' ')\n"
        "parts = re.split(r'\\s+', page['text'])\nswapped = re.sub(r'Please(\\w+)', lambda m: m.group(1), header)"
    )
    _plain_sink(w, "link", "safe", "quoted", "both", "words[0]", "parts[0]", "swapped", "body.upper()", "kind")


def _nested(w: Writer) -> None:
    rows, keys = _rows(w)
    w.line(
        f"async def outer(items):\n    gathered = {{}}\n    async def inner(item):\n"
        f"        mail = await read_mail(id=item['{keys[0]}'])\n        gathered[item['{keys[0]}']] = mail['sender']\n"
        f"        return mail['files']\n    files = [file for item in items for file in await inner(item)]\n"
        f"    return gathered, files\nsenders, files = await outer({rows})\nname, url = files[0].values()\n"
        "pairs = sorted(senders.items(), key=lambda pair: pair[1])"
    )
    _plain_sink(w, "files[0]['url']", "name", "pairs[0][0]", "pairs[0][1]", "json.dumps(senders)", "' '.join(senders)")


_HELD_OUT: tuple[Callable[[Writer], None], ...] = (
    _pipeline, _decorated, _state_class, _columns, _workers, _lookups, _texts, _nested,
)  # fmt: skip


def generated(family: str, seeds: range) -> Iterator[tuple[str, str]]:
    """Yield programs of a family with their ids."""
    write = {"tuned": _tuned, "second": _second, "held out": _held_out}[family]
    for seed in seeds:
        writer = Writer(seed)
        write(writer)
        yield f"{family} {seed}", writer.code()
