"""Word lists for the templates of `names_texts.py`: objects, towns, firms, streets, months."""

from __future__ import annotations


def words(text: str, between: str | None = None) -> list[str]:
    return text.split(between)


NOUNS = words(
    "invoice report order parcel contract ticket form budget export server key car room meeting plan book page file"
    " photo list price offer account login password laptop phone kitchen roof garden schedule draft release test branch"
    " dashboard query table record field string value request response queue worker cache index token session module"
    " function parameter result message error connection database backup license payment refund delivery shipment"
)
VERBS = words("is was has can will should must fails works returns needs shows holds starts ends changes stays looks")
ADJECTIVES = words("late new old broken ready empty full slow fast wrong right missing open closed free green blue")
TITLE_WORDS = words(
    "Annual Budget Review Project Phoenix Status Report Customer Success Platform Release Notes Sales Pipeline Home"
    " Office Data Science Quality Control Night Shift Summer Festival Road Map Travel Policy Health Insurance Privacy"
    " Settings Payment Method Billing Address Shipping Label Order History User Guide Account Manager Product Owner"
    " Core Team Blue Ocean Golden Gate Silver Line Express Delivery Standard Plan Premium Support Gift Card Coffee"
    " Machine Walnut Desk Lamp Leather Bag Winter Jacket Running Shoes Wireless Mouse Audio Cable Video Camera Garden"
    " Chair Kitchen Table Steel Bottle Paper Notebook Open Source License Machine Learning Model Training Vector Store"
    " Access Token Key Value Pair Access Log Error Rate Request Body Response Time Memory Limit Queue Length Batch Job"
)
PRODUCTS = words(
    "Photoshop,Excel,PowerPoint,Windows Server,Visual Studio Code,Docker Desktop,Kubernetes,PostgreSQL,Redis,Kafka,"
    "Salesforce,HubSpot,Jira,Confluence,Notion,Slack,Zoom,GitHub Actions,Google Sheets,Microsoft Teams,Apache Spark,"
    "Ubuntu,Debian,Firefox,Chrome,Safari,Galaxy Tab,ThinkPad,MacBook Air,Surface Pro,Kindle Paperwhite,PlayStation,"
    "Model S,Corolla,Golf,Nike Pegasus,Lego City,Harry Potter,Star Wars,The Witcher,Mona Lisa,Hamlet,Don Giovanni,"
    "Nobel Prize,Champions League,Super Bowl,World Cup,Black Friday,New Year,Easter Monday,Python,Java,Rust,"
    "TypeScript,React Native,Ruby on Rails,Terraform,Ansible,Grafana,Prometheus,Elastic Cloud,Power BI,Tableau",
    ",",
)
CLOUDS = words("Amazon Web Services,Google Cloud,Azure,Hetzner,Cloudflare,Heroku,Vercel,Snowflake,Databricks", ",")
COUNTRIES = words(
    "Germany,France,Spain,Italy,Poland,Ireland,Norway,Sweden,Denmark,Portugal,Canada,Mexico,Brazil,India,China,Japan,"
    "South Africa,New Zealand,United Kingdom,United States,Netherlands,Belgium,Austria,Switzerland,Turkey,Egypt",
    ",",
)
TOWNS = words(
    "London,Manchester,Birmingham,Glasgow,Edinburgh,Cardiff,Belfast,Liverpool,York,Bath,Oxford,Cambridge,New York,"
    "Boston,Chicago,Seattle,Dallas,Houston,Phoenix,Atlanta,Miami,Detroit,Columbus,Madison,Lincoln,San Francisco,"
    "Los Angeles,San Diego,Salt Lake City,Kansas City,Toronto,Montreal,Vancouver,Ottawa,Calgary,Sydney,Melbourne,"
    "Brisbane,Adelaide,Auckland,Wellington,Paris,Lyon,Nice,Berlin,Hamburg,Munich,Cologne,Vienna,Graz,Zurich,Geneva,"
    "Amsterdam,Rotterdam,The Hague,Brussels,Antwerp,Madrid,Barcelona,Seville,Valencia,Lisbon,Porto,Rome,Milan,Turin,"
    "Naples,Athens,Warsaw,Prague,Budapest,Stockholm,Oslo,Copenhagen,Helsinki,Istanbul,Cairo,Nairobi,Lagos,Cape Town,"
    "Mumbai,Delhi,Bangalore,Tokyo,Osaka,Seoul,Beijing,Shanghai,Singapore,Mexico City,Bogota,Lima,Santiago,Sao Paulo",
    ",",
)
ROLES = words(
    "manager,engineer,designer,accountant,lawyer,nurse,driver,director,sales manager,project manager,head of sales,"
    "developer,teacher,consultant,analyst,assistant,plumber,editor,producer,intern,landlord,tenant,professor,CEO,CTO,"
    "CFO,Product Owner,Account Executive,Senior Engineer,Head of Marketing,Chief Financial Officer",
    ",",
)
FORMS = words("Ltd,Ltd.,GmbH,Inc.,Inc,LLC,AG,S.A.,SpA,BV,PLC,Group,Holdings,Partners,Bank,Airlines,Motors,Foods", ",")
MONTHS = words("January February March April May June July August September October November December")
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
WAYS = words(
    "Street St St. Avenue Ave Ave. Road Rd Rd. Lane Ln Drive Dr Dr. Boulevard Blvd Court Ct Square Way Place Terrace"
    " Close Crescent Grove Gardens Row Hill Parkway Highway Circle"
)
ROADS = words(
    "Maple Oak High Church Mill Park Station Victoria King Queen Elm Cedar Pine Lake River Spring Hill School Main"
    " Washington Lincoln Madison Market Bridge North South Green Manor Castle Abbey Chapel York London Albert George"
)
STATES = words("CA NY TX FL IL PA OH GA NC MI NJ VA WA AZ MA TN IN MO MD WI CO MN SC AL LA KY OR OK CT UT")
ONSET = words("b c d f g h j k l m n p r s t v w z br ch cl dr fr gr kl kr pr sch sh sl st th tr ts vl zh kh ng mb")
VOWEL = words("a e i o u aa ai au ea ee ei ie oa oo ou y ö ü ä å ø é")
CODA = words("b d f g k l ll m n nn ng r rd rt s ss st t th x z ck ld nd nk sk son sen mann ez ski ova wicz berg ton")
BRANDS = words(
    "Google,Microsoft,Amazon,Apple,Oracle,IBM,Intel,Nvidia,Samsung,Sony,Toyota,Honda,Ford,Tesla,BMW,Mercedes,Audi,"
    "Siemens,Philips,Nestlé,Unilever,Pfizer,Novartis,Bayer,Shell,Exxon,Walmart,Target,Costco,Lidl,Aldi,Tesco,Carrefour,"
    "Netflix,Spotify,Uber,Airbnb,PayPal,Visa,Mastercard,Shopify,Zendesk,Atlassian,Asana,Trello,Miro,Dropbox,Okta,Twilio,"
    "Datadog,Splunk,GitLab,GitHub,Bitbucket,Jenkins,Docker,Helm,Istio,Nginx,Apache,Tomcat,Spring,Django,Flask,Laravel,"
    "Angular,Vue,Svelte,Linux,Windows,Android,Fedora,Red Hat,Outlook,SharePoint,OneDrive,Gmail,Reuters,BBC,CNN,NATO,"
    "UNESCO,FIFA,NASA,Harvard,Stanford,Wikipedia,YouTube,Facebook,Instagram,WhatsApp,Telegram,LinkedIn,TikTok,Reddit,"
    "Lufthansa,Ryanair,Emirates,Airbus,Boeing,FedEx,Hilton,Marriott,Starbucks,McDonald's,Adidas,Puma,Zara,Lego,Nokia",
    ",",
)
INSTITUTIONS = words(
    "Hospital Institute Foundation School College Church Bridge Park Station Museum Prize Award Hall Library Theatre"
    " Hotel Inn Arms Stadium University Clinic Brothers Island Valley Mountains County Method Theorem Index Effect"
)
WEEKDAYS = {
    "de": words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
    "es": words("lunes martes miércoles jueves viernes sábado domingo"),
    "fr": words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    "it": words("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
    "nl": words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
    "pl": words("poniedziałek wtorek środę czwartek piątek sobotę niedzielę"),
    "pt": words("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"),
}
