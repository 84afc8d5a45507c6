"""Names, by what stands beside them."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()

NAMES = [
    ("mein Name ist Annegret Wölfl und ich", "Annegret Wölfl"),
    ("Nazywam się Katarzyna Wiśniewska, mieszkam", "Katarzyna Wiśniewska"),
    ("Mi chiamo Giuseppe D'Angelo e", "Giuseppe D'Angelo"),
    ("Z poważaniem\nMałgorzata Nowak-Dąbrowska\nul. Długa 5", "Małgorzata Nowak-Dąbrowska"),
    ("Rückfragen an Thomas Müller (thomas.mueller@büro-süd.de).", "Thomas Müller"),
    ("kam von Jürgen Krähenbühl aus Am Alten Hof 3, 50667 Köln.", "Jürgen Krähenbühl"),
    ("denunciato da Niccolò Rossi, Piazza del Duomo 3, 50122 Firenze.", "Niccolò Rossi"),
    ("door Sanne Bakker, Laan van Meerdervoort 55, 2517 AG Den Haag.", "Sanne Bakker"),
    ("Unser Mieter Mehmet Yıldırım, Karl-Marx-Allee 77, 10243 Berlin, ist", "Mehmet Yıldırım"),
    (
        "comunicó Íñigo Etxeberria desde Avda. de la Constitución, 15, 41001 Sevilla.",
        "Íñigo Etxeberria",
    ),
    ("appartient à Luc Besançon.", "Luc Besançon"),
    ("mit Herrn Özdemir telefoniert", "Özdemir"),
    ("au nom de Mme Fatima Benali.", "Fatima Benali"),
    ("Max Mustermann\nHauptstraße 5\n10115 Berlin", "Max Mustermann"),
    ("Меня зовут Иван Петров, я", "Иван Петров"),
    ("Με λένε Γιώργος Παπαδόπουλος", "Γιώργος Παπαδόπουλος"),
    ("Pani Anna Kowalska", "Anna Kowalska"),
    ("Dear JANE ROE,", "JANE ROE"),
    ("Jane Roe (jane@example.com)", "Jane Roe"),
    ("Contact: Jane Roe, +49 30 1234567", "Jane Roe"),
]

WITHOUT_CASE = [
    ("佐藤先生に電話", "佐藤"),
    ("氏名 山田太郎", "山田太郎"),
    ("김민수 부장님 안녕하세요", "김민수"),
    ("الدكتور أحمد محمود", "أحمد محمود"),
    ("שם: דוד כהן", "דוד כהן"),
    ("श्रीमती सीता देवी", "सीता देवी"),
    ("姓名：王小明，电话", "王小明"),
    ("名前：山田太郎", "山田太郎"),
    ("山田様、お世話", "山田"),
    ("田中さんに電話", "田中"),
    ("氏名：佐藤 健", "佐藤 健"),
    ("李伟先生您好", "李伟"),
    ("尊敬的王芳女士", "王芳"),
    ("我叫张三丰，来自", "张三丰"),
    ("이름: 김철수", "김철수"),
    ("김철수님 안녕하세요", "김철수"),
    ("저는 이영희입니다", "이영희"),
    ("السيد محمد علي", "محمد علي"),
    ("اسمي فاطمة حسن", "فاطمة حسن"),
    ("שמי דוד כהן", "דוד כהן"),
    ("श्री राम कुमार", "राम कुमार"),
    ("मेरा नाम सीता देवी है", "सीता देवी"),
    ("私は山田太郎と申します", "山田太郎"),
    ("คุณสมชาย ใจดี", "สมชาย ใจดี"),
]


def hides(text: str, value: str, cls: str) -> bool:
    """Whether one finding of this class covers the value, and a second pass finds no more."""
    view = REDACTOR.redact(text)
    at = text.index(value)
    covered = any(s.cls == cls and s.start <= at and s.stop >= at + len(value) for s in view.spans)
    return covered and REDACTOR.redact(view.text).text == view.text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), NAMES)
def test_a_name_is_found_beside_what_only_stands_beside_names(text, value):
    """Introductions, signatures, in front of an address, a telephone number, a street."""
    assert hides(text, value, "SIMPLE_NAME"), REDACTOR.redact(text).text


@pytest.mark.clause("005-P15")
@pytest.mark.parametrize(("text", "value"), WITHOUT_CASE)
def test_a_name_in_a_script_without_capitals_is_found(text, value):
    """After labels and titles, before honorifics."""
    assert hides(text, value, "SIMPLE_NAME"), REDACTOR.redact(text).text
