"""Lists of ordinary words: those that are also names, and those of things, places, teams and states."""

from __future__ import annotations

_COMMON = """
welcome password private internal premium standard changeme letmein secret string number
the and for but not you all any can had her was one our out day get has him his how man new now old see two way who
boy did its let put say she too use may june july april august march will mark grant hope faith grace joy rose lily
iris daisy violet ivy holly amber ruby pearl jade crystal dawn summer autumn winter spring sunny sky star rain snow
storm river lake brook forest wood woods stone rock hill hall park field fields meadow green white black brown gray
grey silver gold golden young long short small little rich power price cash sterling bill bob jack rob pat sue art
gene ray dean earl duke king queen prince knight bishop pope abbot page porter cook baker butcher miller mason
carpenter shepherd fisher hunter gardener taylor tailor smith weaver turner potter cooper fuller carter driver banks
bond chance frank ernest christian paris london berlin madrid rome milan vienna florence sydney austin dallas
houston denver phoenix orlando madison jackson lincoln washington hamilton kent chester york lancaster england
ireland scotland wales france spain holland german french english irish scott welsh jordan israel china india kenya
chad georgia virginia carolina dakota montana savannah brooklyn chelsea camden angel christmas sunday monday friday
tuesday wednesday thursday saturday love best good hand head foot bell ball book bookman case church castle cross
drew earth east west north south fair fish fox wolf lamb bird swan crane drake hawk martin robin jay bear buck colt
frost gates glass guy harbor heart house hughes john keys lane law lawless major marine max mill moon moore more
moss nail nest noble nova olive parish peace perry pike pine plant pond pool post rush sage sand sands sharp shaw
shore single smart son sparks speed staff steel strong swift temple thorn tide tower town trace tree trip true vale
vance wade walker wall ward warren water watt webb well wells wise world worth team support sales service group
company order customer user admin test demo data type name email phone note item items list table status open closed
done high low medium first last total count error python value none false request response server client result
account contact address street road avenue manager director engineer doctor miss mrs mister sir madam dear hello
thanks thank regards sincerely kind yours please from with this that there
"""
COMMON_WORDS = frozenset(_COMMON.split())


_THINGS = """
kusto databricks synapse purview terraform ansible grafana kibana airflow jupyter postgres mongo redis kafka
academy access account accounting action active activity adapter add address adhesive admin admission advanced
advertising agency agenda agent agreement air airline airport album alert alpha amount analysis analytics android
annual answer api app apple application approval approved apps architecture archive area article asset assets assigned
assistant associates association attachment auction audio audit auth author auto automatic automation avenue award
azure baby back backend backlog backup bad bag balance ball band bank banking bar barcode base basic basket batch bath
battery bay beach beans beauty bed beer beta bicycle big bike bill billing bin bio block blocked blog blue board boat
body book booking books boot bot bottle boulevard box branch brand bread bridge brief broken browser bucket budget bug
build building bulk bus business butter button buy cable cache cafe cake calendar call camera campaign campus
cancelled candidate capacity capital car card care career cart case cash catalog catalogue category cell center
central centre certificate chain chair change channel chapter charge charger chart chat check checkout chicken child
children chocolate church circle city claim class classic clean cleaner click client clinic clock close closed cloud
club coaching coat code coffee collection college color comment commerce commercial committee common community
companies company compare compliance component computer computing conference config configuration connection connector
console consulting contact container content contract control cookie cookies cool copy core corner corporate
corporation cost council count counter country county course court cover cream create created credit critical cross
crypto cup current custom customer customers cycle daily dark dashboard data database date day days deal debug deck
default delivery demo department deploy deployment design designer desk desktop detail details dev developer
development device devices diesel digital dinner direct director directory discount discovery disk display district
division dock doctor document documentation documents dog domain done door double down download draft dress drink
drive driver dry duplicate dynamic easy economy edge edit edition editor education electric electronics element email
emergency employee empty end energy engine engineer engineering english enterprise entertainment entry environment
epic equipment error escalated espresso essential estate europe evaluation evening event events example excel exchange
executive expense expert express extension external extra fabric facility factory failed failure fair family farm
fashion fast father fax feature features federal fee feedback feed fiber field file files film filter final finance
financial first fish fitness fix fleet flight floor flow folder food football forecast foreign form format forum
foundation founder frame framework free fresh fridge front frontend fruit fuel full function fund furniture future
gallery game games garage garden gas gateway gaming general generator gift girl glass global gold golf good government
grade grand graphics grid grocery ground group groups growth guest guide gym hair half handbook hard hardware head
headphones health healthcare heating help helpdesk heavy high highway hiring history holding holdings holiday home
hospital host hosting hot hotel hour house household housing human ice icon idea identity image images import
important improvement inbox incident income index industrial industries industry information infra infrastructure
initial innovation input insight insights inspection institute insurance integration intelligence interior internal
international internet interview inventory investment invoice iron island issue issues item items job jobs journal
juice junior kernel key keyboard kids kit kitchen lab label labs lamp land language laptop large last launch law layer
lead leadership leads league learning lease leather left legal lesson letter level library licence license lifestyle
light limited line link linux liquid list listing live loan local location lock log logic login logistics logo loop
lounge low lower ltd lunch luxury machine magazine mail mailing main maintenance major mall management manager manual
manufacturing map march mcp margin marine market marketing marketplace master material math matrix meat media medical
medicine medium meeting member members membership memory men menu merge message metal meter method metro micro
microsoft middle migration military milk mini mining minor minutes mirror mobile mode model modern module money
monitor monitoring month monthly morning motion motor mountain mouse move movie multi museum music mutual nation
national native natural navigation need needed needs network networks never new news newsletter night node normal
north note notebook notes notice notification notifications number nurse nutrition object objective objectives ocean
office official offline oil old onboarding one online only open opening operation operations operator opportunity
optical option orange order orders organic organisation organization original other out outdoor outlet output outreach
over overview owner pack package paid paint pair panel paper parcel parent parking part partner partners partnership
parts party pass password patch path patient payment payments payroll pen pending people performance period permission
personal pet pharma pharmacy phase phone photo photos picture piece pilot pipeline pizza place plan planning plans
plant plastic platform platinum play player plaza plus point policy pool port portal portfolio position post poster
power practice premium preparation presentation press preview pricing primary prime print printer priority private pro
problem procedure process processing procurement product production products professional profile program programme
progress project projects promotion property proposal protection protocol provider proxy public pull purchase
purchasing push quality quarter quarterly query question quick quote radio rail random range rate raw read ready real
receipt recent recipe record records recovery recruiting recruitment red reference refund region registration registry
regular release reliability remote renewal rental repair reply report reporting reports repository request requests
requirement research reserve reset residential resolved resource resources restaurant results retail retry return
returns revenue review reviews reward rewards right ring risk river road roadmap robot role roll roof room root round
route router royal rule run running runtime safe safety sale sales sample sandbox satellite save scale scan scanner
schedule scheduled school science score screen script sea search season seat second secondary section security select
self seller senior sensor series server service services session set settings setup shared sheet shelf shift ship
shipment shipping shirt shoe shoes shop shopping short show shower sign signal silver simple single site size skill
skills sleep slide slow small smart snack social society soft software solar sold solution solutions song sound source
south space spare speaker special specialist speed sport sports spring sprint square stack staff stage staging
standard standup star start starter state statement station status steel step stock stop storage store story strategic
strategy stream streaming street strong student studio study style sub subscription success suite summary summer sun
super supplier suppliers supply support survey sustainability switch sync system systems table tablet tag tank target
task tasks tax tea teacher team teams tech technical technologies technology telecom template temporary tender term
terms test testing tests text theatre theme ticket tickets tier tile time timeline tires title todo token tool tools
top topic total tour tourism tower town toy toys track tracker tracking trade trading traffic training transaction
transfer transit translation transport travel treatment tree trial triage truck trust tube turbo type ultra under
union unit united universal university update updates upgrade upper urgent user users utilities utility vacation
validation value vehicle vehicles vendor venture ventures verification version video view village vintage virtual visa
vision visit voice volume waiting wall warehouse warranty wash waste watch water wave weather web webhook website week
weekend weekly wellness wheel wholesale wifi wild wind window windows wine winter wire wireless women wool word work
workbench worker workflow working workplace works workshop workspace world writing yellow yoga zero zone america african
american asia asian australia austria barcelona belgium berlin boston brazil britain british canada canadian chicago
china chinese copenhagen dallas denmark dubai dublin dutch european finland france francisco french german germany
greece hamburg helsinki holland hong hungary india indian indonesia ireland irish italian italy japan japanese kingdom
kong korea korean london madrid malaysia mexican mexico milan montreal moscow munich netherlands norway norwegian oslo
pacific paris philippines poland polish portugal portuguese prague rome russia russian singapore spain spanish states
stockholm sweden swedish swiss switzerland taiwan thailand tokyo toronto turkey turkish vancouver vienna vietnam york
zurich zealand africa atlantic mediterranean nordic england scotland wales california florida texas virginia monday
tuesday wednesday thursday friday saturday sunday january february april june july august september october november
december gmbh inc llc plc corp bv nv sarl srl spa pty oy ab sa ag kg co two three four five six seven eight nine ten
third fourth fifth and or the of for with without by from to in on at as is are not no your our my all any
"""
THING_WORDS = frozenset(_THINGS.split())
