"""What cells look like: check digits that are right, and cells that only resemble them."""

import pytest

from kspan.policy.guess.formats import CODES, DATE, PERSONAL, PHONE, looks_like

RIGHT = {
    "email": ["ann@example.org", "bob.b@mail.example.com"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
    "card": ["4111 1111 1111 1111", "5500005555555559"],
    "dni": ["12345678Z", "X1234567L"],
    "nir": ["255081416802538"],
    "fiscal code": ["RSSMRA85T10A562S"],
    "cpf": ["529.982.247-25", "11144477735"],
    "tax id": ["36574261809"],
    "bsn": ["111222333"],
    "nif": ["501964843"],
    "ssn": ["219-09-9999"],
    "nino": ["QQ 12 34 56 C"],
    "uuid": ["f47ac10b-58cc-4372-a567-0e02b2c3d479"],
    "ip": ["192.168.0.1", "2001:db8::ff00:42:8329"],
    "url": ["https://example.org/a?b=c"],
    "hash": ["d41d8cd98f00b204e9800998ecf8427e"],
}
WRONG = {
    "iban": ["DE88370400440532013000"],
    "card": ["4111111111111112"],
    "dni": ["12345678A"],
    "nir": ["255081416802539"],
    "cpf": ["529.982.247-24"],
    "tax id": ["36574261808"],
    "bsn": ["111222334"],
    "ssn": ["000-09-9999"],
    "ip": ["192.168.0.256", "12:30:45"],
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_recognized(name: str) -> None:
    found = looks_like(RIGHT[name], PERSONAL)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_check_digit_is_nothing(name: str) -> None:
    one = next(one for one in PERSONAL if one.name == name)
    assert not any(one.fits(cell) for cell in WRONG[name])


@pytest.mark.parametrize(
    "cell",
    ["2021-03-04", "04.03.2021", "3/4/21", "2021-03-04 10:00", "2021-03-04T10:00:00Z", "4 March 2021", "Mar 4, 2021"],
)
def test_dates(cell: str) -> None:
    assert DATE.fits(cell)


@pytest.mark.parametrize("cell", ["2021", "99.99.2021", "2021-13-04", "20-39", "1.2.3", "abc"])
def test_no_dates(cell: str) -> None:
    assert not DATE.fits(cell)


@pytest.mark.parametrize(
    ("cell", "fits"), [("+49 (0)30 123456", True), ("555-123-4567", True), ("12345678", False), ("20-39", False)]
)
def test_phones(cell: str, fits: bool) -> None:
    assert bool(PHONE.fits(cell)) == fits


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["J45.0", "E11", "C50.911"], "icd"),
        (["12345-6789"], "zip+4"),
        (["1012 AB"], "dutch postcode"),
        (["DE212", "FR10"], "nuts"),
    ],
)
def test_codes(cells: list[str], name: str) -> None:
    found = looks_like(cells, CODES)
    assert found is not None
    assert found.name == name


def test_a_few_exceptions_do_not_hide_a_format() -> None:
    mails = [f"a{at}@example.org" for at in range(95)]
    assert looks_like([*mails, *["unknown"] * 5], PERSONAL) is not None
    assert looks_like([*mails[:50], *["unknown"] * 50], PERSONAL) is None
    assert looks_like([], PERSONAL) is None
