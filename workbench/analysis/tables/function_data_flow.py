"""Data-flow rules of functions and methods: how each one changes the values it gets."""

from __future__ import annotations

from typing import Final

from workbench.permissions.word_sets import names

# Modules whose functions return only data from their arguments, a clock, or a random generator.
PURE_MODULES: Final = names(
    """json re math cmath statistics datetime time random string textwrap itertools functools collections operator
    urllib base64 binascii hashlib hmac zlib gzip bz2 lzma codecs html unicodedata decimal fractions uuid asyncio
    dataclasses enum typing copy struct difflib heapq bisect calendar zoneinfo csv io pprint secrets ipaddress email
    contextlib abc numbers array colorsys quopri tomllib xml queue pandas numpy polars logging warnings __future__
    dateutil yaml types typing_extensions"""
)
# Functions of these modules that read a file, a stream or the program itself (last part of the name).
READING_FUNCTIONS: Final = names(
    """open loadtxt fromfile genfromtxt memmap parse iterparse urlopen urlretrieve open_connection
    create_subprocess_exec create_subprocess_shell FileIO all_tasks current_task getLogger
    redirect_stdout redirect_stderr"""
)
# Modules whose functions do not change their arguments.
_KEEPING: Final = names(
    """math cmath statistics datetime time string textwrap itertools functools urllib base64 binascii hashlib hmac zlib
    html unicodedata decimal fractions uuid typing difflib calendar zoneinfo ipaddress quopri secrets re dataclasses
    enum numbers colorsys pandas numpy polars collections copy json asyncio abc __future__ dateutil builtins
    sys client"""
)
_CHANGING: Final = names("json.dump asyncio.Queue.put asyncio.Queue.put_nowait copy.replace")


def keeps_its_arguments(ref: str) -> bool:
    """Return whether a function puts none of its arguments into another one, such as a list."""
    parts = ref.split(".")
    if ref in _CHANGING or parts[0] not in _KEEPING:
        return False
    return len(parts) <= 2 or parts[0] not in ("builtins", "collections", "asyncio")


# Names of other modules that carry no data.
PLAIN_NAMES: Final = names(
    """sys.exit sys.maxsize sys.version sys.version_info sys.stdout sys.stderr sys.stdout.write sys.stderr.write
    sys.stdout.flush os.linesep os.sep client.ToolError client.Image client.search_tools client.get_tool_definition
    client.list_skills"""
)
# Builtins that return data other than their arguments.
READING_BUILTINS: Final = names(
    "open exec eval compile __import__ globals locals vars input breakpoint getattr setattr delattr __builtins__ super"
)

SEPARATORS: Final = frozenset(" \t\n_-./,;:()")  # masking also finds a value with different separators, or with none
CHARACTERS: Final = "characters one by one"
ENCODED: Final = "another encoding"
HASHED: Final = "a hash"
LENGTH: Final = "a length"
PART: Final = "a part"
ALTERED: Final = "changed characters"
COMPUTED: Final = "computed numbers"
SUMMARIES: Final = frozenset({HASHED, LENGTH, PART})  # reveal nothing more after they are compared or summed

# Includes the encodings in which masking finds known values.
TO_TEXT: Final = names(
    """base64.b64encode base64.b16encode base64.urlsafe_b64encode base64.standard_b64encode base64.encodebytes
    binascii.hexlify binascii.b2a_hex binascii.b2a_base64
    builtins.str builtins.repr builtins.ascii builtins.format json.dumps pprint.pformat html.escape html.unescape
    urllib.parse.quote urllib.parse.quote_plus urllib.parse.unquote urllib.parse.urlencode"""
)
TO_LIST: Final = names(
    """builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted builtins.reversed builtins.iter
    builtins.filter collections.deque itertools.chain itertools.islice itertools.takewhile itertools.dropwhile
    itertools.cycle itertools.accumulate random.sample random.choices collections.Counter"""
)
# Functions that call a function argument and do not pass it on.
CONSUMING: Final = names(
    """builtins.sorted builtins.min builtins.max builtins.filter builtins.map builtins.print builtins.str builtins.repr
    builtins.len itertools.groupby itertools.takewhile itertools.dropwhile itertools.accumulate functools.reduce
    heapq.nlargest heapq.nsmallest"""
)
TO_PAIRS: Final = names(
    """builtins.enumerate builtins.zip itertools.zip_longest itertools.groupby itertools.product itertools.pairwise
    itertools.combinations itertools.permutations itertools.batched"""
)
TO_ELEMENT: Final = names("builtins.next random.choice heapq.heappop")
TO_NUMBER: Final = names(
    """builtins.sum builtins.min builtins.max statistics.mean statistics.fmean statistics.median statistics.mode
    statistics.stdev statistics.pstdev statistics.quantiles math.fsum heapq.nlargest heapq.nsmallest"""
)
TO_BIT: Final = names("builtins.any builtins.all builtins.bool builtins.isinstance builtins.callable builtins.type")
ENCODERS: Final = names(
    """builtins.ord base64.b32encode base64.b32hexencode base64.b85encode base64.a85encode base64.z85encode
    binascii.b2a_uu binascii.b2a_qp zlib.compress gzip.compress
    bz2.compress lzma.compress codecs.encode codecs.escape_encode struct.pack quopri.encodestring
    builtins.int.from_bytes uuid.uuid3 uuid.uuid5 array.array"""
)
HASHES: Final = names("builtins.hash zlib.crc32 zlib.adler32 binascii.crc32 binascii.crc_hqx")
WRAPPERS: Final = names("textwrap.wrap textwrap.fill textwrap.shorten")
PATTERN_PIECES: Final = names("re.findall re.finditer re.split")

PIECE_METHODS: Final = names("split rsplit partition rpartition splitlines")
SAME_METHODS: Final = names(
    """strip lstrip rstrip lower upper title capitalize casefold swapcase removeprefix removesuffix ljust rjust center
    zfill expandtabs copy isoformat strftime"""
)
BIT_METHODS: Final = names(
    """startswith endswith isdigit isalpha isalnum isupper islower isspace isnumeric isdecimal istitle isidentifier
    issubset issuperset isdisjoint exists is_integer"""
)
DATE_METHODS: Final = names("toordinal timestamp timetuple utctimetuple isocalendar")
APPLYING_METHODS: Final = names("apply map applymap transform agg aggregate pipe")
PLACE_METHODS: Final = names("find rfind index rindex count")
PAIR_METHODS: Final = names("items most_common iterrows itertuples")
TAKING_METHODS: Final = names("get pop setdefault popleft popitem __getitem__ getvalue group")
PUTTING_METHODS: Final = names("append add insert put put_nowait appendleft setdefault __setitem__ writerow push")
MERGING_METHODS: Final = names("extend update extendleft writerows __ior__ __iadd__ write writelines feed")
UNCHANGING_METHODS: Final = (
    SAME_METHODS | BIT_METHODS | PLACE_METHODS | PAIR_METHODS | PIECE_METHODS
    | names("get join encode decode format format_map replace translate keys values hex hexdigest digest group groups")
)  # fmt: skip

# PERSONAL_WORDS and PERSON_NAMES: words in a key's name that identify a person. DOCUMENT_WORDS: words in names of other
# things.
PERSONAL_WORDS: Final = names(
    """email mail mailto phone mobile tel telephone fax cell surname firstname lastname fullname forename iban card
    ssn passport dob birth birthday birthdate password passwd secret token username login address street postcode zip
    account pin nationality taxid vat license licence plate"""
)
PERSON_NAMES: Final = names(
    "name names first last full middle maiden family given person people user contact customer owner"
)
DOCUMENT_WORDS: Final = names(
    """body text content contents html markdown raw data description message messages document page source diff patch
    lines file files comment comments notes summary title subject readme code"""
)
