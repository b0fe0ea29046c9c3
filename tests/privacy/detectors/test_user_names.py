"""User names in logs, paths and handles."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.user_names import find_user_names, is_user_name


def found(text: str) -> list[str]:
    return sorted({text[start:end] for start, end in find_user_names(text)})


@pytest.mark.parametrize(
    "text",
    [
        "Rosa Lund lives at 12 Elm Street",
        "account 12345678 at Acme Ltd.",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "sshd[7]: Accepted publickey for rlund from 10.1.2.3 port 50122 ssh2",
        "sshd[7]: Failed password for invalid user rlund from 10.1.2.3",
        "pam_unix(sshd:session): session opened for user rlund by (uid=0)",
        "sudo:  rlund : TTY=pts/0 ; PWD=/srv",
        'File "/home/rlund/app/main.py", line 3',
        "C:\\Users\\rlund\\plan.docx is missing",
        "login ok user=rlund took=3ms",
        "sshd[7]: Connection closed by authenticating user rlund 10.1.2.3 port 33210 [preauth]",
        "su: pam_unix(su:session): session opened for user root by rlund(uid=1001)",
        "CRON[991]: (rlund) CMD (/usr/local/bin/report.sh)",
        '%ASA-6-605005: Login permitted from 10.1.2.3/532 to inside:10.1.2.4/ssh for user "rlund"',
        "dovecot: imap-login: Login: user=<rlund>, method=PLAIN, rip=10.1.2.3",
        "10.1.2.3 corp\\rlund allow-web",
        "CEF:0|Sec|x|1.0|100|login failed|5|src=10.1.2.3 suser=rlund msg=Login failed",
        '"arn": "arn:aws:iam::123456789012:user/rlund"',
        "10:00:01 WARN Login failed for user rlund",
        "rlund   pts/0        10.1.2.3     Sun Mar  3 10:00   still logged in",
        '10.1.2.3 - rlund [04/Mar/2025:10:00:11 +0000] "GET / HTTP/1.1"',
        "-rw-r--r-- 1 rlund staff 4096 Mar  4 10:12 plan.txt",
        "please review, cc @rlund",
        "dn: uid=rlund,ou=People,dc=example,dc=com",
    ],
)
def test_where_systems_write_user_names(text: str) -> None:
    assert found(text) == ["rlund"]


@pytest.mark.parametrize(
    "text",
    [
        "run as user=root in /home/user/ and /usr/local/",
        "for user in users: user = self.user",
        "    @property\n    def user(self): ...",
        '- - [04/Mar/2025:10:00:11 +0000] "GET /"',
        "import { x } from '@scope/name' for @types/node",
        "the user can, and by default does",
        "type 'str' for user registration, session for user root, role 'admin' and (root) CMD (run-parts)",
        "cascade wrappers (@layer, @media, @container, @scope)",
    ],
)
def test_what_every_system_has_and_code_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("value", ["rosa_l", "@rosa", "rosa.lund"])
def test_a_value_under_its_key_is_one(value: str) -> None:
    assert is_user_name(value)


@pytest.mark.parametrize("value", ["", "admin", "root", "Rosa Lund", "x"])
def test_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_user_name(value)
