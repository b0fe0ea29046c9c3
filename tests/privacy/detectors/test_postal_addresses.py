"""Addresses in prose and in lines, in the order of their countries."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.announced_numbers import find_announced_numbers


def found(text: str) -> list[str]:
    spans = [text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "ADDRESS"]
    return list(dict.fromkeys(spans))


ADDRESSES = [
    "12 Elm Street, Dover, DE 19901",
    "980 N 3rd Ave, Phoenix, AZ 85003",
    "2210 Willow Creek Pkwy, Suite 400, Austin, TX 78758",
    "P.O. Box 1184, Tulsa, OK 74101-1184",
    "61 Beech Ave, Toronto, ON M4E 3H4",
    "Flat 3, 27 Wellington Terrace, Leeds LS2 7QA",
    "42 Camden Street Lower, Dublin 2, D02 XE80",
    "Unit 4/22 Pacific Hwy, Newcastle NSW 2300",
    "Rosenheimer Str. 145 b, 81671 München",
    "Lindenstraße 17, 50674 Köln",
    "Im Grund 12, 40474 Düsseldorf",
    "Postfach 10 04 22, 70003 Stuttgart",
    "Mariahilfer Straße 84/3/12, 1070 Wien",
    "Rue du Rhône 62, CH-1204 Genève",
    "14 bis rue des Lilas, 69003 Lyon",
    "8 place de la République, 35000 Rennes",
    "Calle Mayor 23, 2º B, 28013 Madrid",
    "C/ Aragón, 255, 08007 Barcelona",
    "Corso Vittorio Emanuele II, 108, 10121 Torino (TO)",
    "Avenida da Liberdade, n.º 110, 3.º Esq., 1250-146 Lisboa",
    "Rua XV de Novembro, 300 - Centro, Curitiba - PR, 80020-310",
    "Prinsengracht 263, 1016 GV Amsterdam",
    "Kerkstraat 40 bus 3, 2060 Antwerpen",
    "ul. Długa 15/4, 31-147 Kraków",
    "Vinohradská 1597/174, 130 00 Praha 3",
    "Sveavägen 44 lgh 1203, 111 34 Stockholm",
    "Nørrebrogade 36, 2. tv., 2200 København N",
    "Kirkegata 21, 0153 Oslo",
    "12/3, Anna Salai, Chennai - 600002",
    "No. 12, 3rd Cross, MG Road, Bengaluru 560001",
    "Blk 123 Ang Mo Kio Ave 3 #04-56, Singapore 560123",
    "Petőfi Sándor utca 3. 2. em.",
    "Bağdat Caddesi No: 210 Kat: 3, 34730 İstanbul",
    "Str. Mihai Eminescu nr. 14, bl. 3, sc. A, ap. 8, 400015 Cluj-Napoca",
    "Ulica kralja Zvonimira 12, 10000 Zagreb",
    "Carrera 7 # 32-16",
    "RR 2 Box 118, Ames, IA 50010",
    "Jl. Sudirman No. 25, Jakarta 10220",
    "Karl Johans gate 22, 0159 Oslo",
    "309 Cedar Hollow Rd\nAsheville, NC 28803",
    "Gartenweg 112\n04109 Leipzig",
    "〒150-0041 東京都渋谷区神南1丁目19番11号",
    "大阪府大阪市北区梅田3-1-3 梅田ビル5階",
    "神奈川県横浜市西区みなとみらい2-3-1",
    "北京市朝阳区建国路88号3号楼1502室",
    "台北市信義區松仁路100號8樓",
    "서울특별시 강남구 테헤란로 152",
    "ул. Ленина, д. 14, кв. 8",
    "ul. Reja 14 m. 3",
    "bulwarze Nadmorskim 9",
    "n° 23, boulevard Carnot",
    "numéro 8 de la rue Victor Hugo",
    "nº 12 da Rua Direita",
    "civico 33 di corso Venezia",
    "via Verdi, 12 bis",
    "8 Hazel Park Avenue\nDerby\nDE1 2AB",
    "Rua das Flores, 45, Recife\n50010-000",
    "31 Loop Street, Cape Town\n8001",
    "Blk 41 Bedok South Road\nSingapore 460041",
    "부산 수영구 광안로 21번길 12, 3층",
    "경기도 고양시 일산서구 중앙로 1455, 101동 1203호",
    "경기 여주시 가남읍 태평리 12-3",
    "종로구 인사동길 34",
    "강남대로94길 10, 7층",
    "(03181) 서울 종로구 새문안로 55",
    "延安路123弄5号",
    "新北市板橋區民生路二段182巷3弄42號5樓之2",
    "南京市鼓楼区中山北路22号3栋502",
    "成都市锦江区安顺桥12号",
    "京都市左京区下鴨宮河町61-2",
    "福州市鼓楼区八一七路158号国际广场18层1802，350003",
    "Чехова ул., 5",
    "12, ул. Гоголя",
    "ul. Polna 5, Łódź, 90-001",
    "역삼동 152-3번지",
    "Ломоносова, д. 7, кв. 31",
    "Тульская обл., г. Алексин, мкр. Бор, ул. Мира, д. 4",
    "пр-т Победы 12 корп. 2 стр. 1",
    "101000, Москва, Покровка ул., д. 6",
    "г. Пермь, ул. Сибирская, 44, 614000",
    "наб. канала Грибоедова, д. 9",
    "ул. 9 Мая, 51",
    "3-я Садовая улица, дом 2",
    "просп. Науки, буд. 7, 61000, Харків",
    "вул. Зелена, 22, кв. 5, Київ, 01001",
    "вуліца Янкі Купалы, 7",
    "Алматы қ., Абай даңғылы, 52 үй, 14 пәтер",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_one_value(address: str) -> None:
    for text in (address, f"→ {address}.", f"({address})", f"x\n{address}\ny"):
        assert address in found(text), text


@pytest.mark.parametrize(
    "text",
    [
        "in 12 Monaten erscheint Kapitel 5 auf Platz 3, der Arbeitsplatz 7 bleibt frei",
        "Chapter 5 Road map, version 2 Google Drive, 3 Hard Drive failures, step 2 Place the lid",
        "See section 4 Way of working; 10 First Place awards; line 33 Court rules apply",
        "La via 3 es mejor; Av. 2 de 3; calle sin número; tome 2 place de marché; véase el apartado 2",
        "int x = 5; street = 12; for (place 3) way 4; drive C: 100 GB; 2024-05-01 st 3",
        "第3章 道路 5号 今年は東京都の人口が1400万人 2026年3月5日 共有3市5町 根分区提供 600–750",
        "price 12.50, v1.2.3 Park; 10 % Hill; 100 Rue",
        "На улице Гоголя 5 человек; площадь Мира 12 мая; Площадь 120 м²; пл. 3 кв. м; станция Проспект Мира, 12 минут",
        "Пер. с англ., изд. 2; Стр. 12; улица Садовая закрыта с 5 мая; шоссе Южное 12 км; Вул. закрита до 12 травня",
        "Plac Zamkowy w 1812 roku; n° 23 de la revue; numero 14 di gennaio; número 45 da revista; rondo 3 i plac 5",
        "街道有12号选手 道口3号信号灯 园区5号门 长江大桥2号桥墩",
        "京都市営バス5番、206号系統 천안시 불당동 3곳; 올레길 7코스",
        "Аллея Героев, 100 деревьев; Улица Сезам, 40 сезон; проспект Науки 15 остановок; на ул. Мира 3 ДТП",
        "다시 그대로 5 추가; 친구 따로 2; 서울 활동 12, 경기 처리 5, 참가 12팀; 경기 도로 12km; 혹시 오류로 3번",
        "国道1号線 県道12号線 107国道3号桥 第12章通道3号 网络路由5号端口 这条路有88米宽，第12号文件",
        "서울 2024년 인구 5 분석; 경기 3대 2로 승리",
        "Delegate 3, Surrogate 5; Navigate 7, Speicherplatz 10",
    ],
)
def test_numbered_things_are_no_addresses(text: str) -> None:
    assert found(text) == []


def test_small_words_before_a_dutch_name_belong_to_it() -> None:
    assert found("Ze wonen op van Baerlestraat 98, op de Kerkstraat 5 en bij de Ruyterkade 14.") == [
        "van Baerlestraat 98",
        "Kerkstraat 5",
        "de Ruyterkade 14",
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the postcode SW1A 2AB is outside", "SW1A 2AB"),
        ("His ZIP is 94110, so", "94110"),
        ("zip code 30309-1234 was rejected", "30309-1234"),
        ("PLZ 80331 bitte prüfen", "80331"),
        ("le code postal 33000 ne passe pas", "33000"),
        ("CEP 22070-011 inválido", "22070-011"),
        ("mijn postcode is 3011 AD", "3011 AD"),
        ("kod pocztowy 50-062 jest zły", "50-062"),
        ("郵便番号は530-0001です", "530-0001"),
        ("My postal code is V5K 0A1.", "V5K 0A1"),
    ],
)
def test_a_word_announces_a_postal_code(text: str, code: str) -> None:
    assert found(text) == [code]


@pytest.mark.parametrize("text", ["zip 20000 files", "gzip 94110", "cap 10000 units", "zip -r 12345.zip", "cap 1.2"])
def test_archives_and_limits_are_no_postal_codes(text: str) -> None:
    assert found(text) == []
