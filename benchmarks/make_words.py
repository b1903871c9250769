"""Make the word lists of ``gem_gymnasium/data`` out of SCOWL, for Wordle, Hangman and WordSearch.

Two files, one word a line, the short words first: ``words_common.txt`` (what games hide) and
``words_other.txt`` (what a guess may be as well). SCOWL is the Debian package ``scowl`` (the lists
here were made from 2020.12.07-2), which puts its files where the second command reads them:

    apt-get install scowl
    python benchmarks/make_words.py /usr/share/dict/scowl
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data"

COMMON_SIZES = (10, 20, 35)
"""SCOWL's "small" list: what it recommends for words that everyone knows."""

OTHER_SIZES = (*COMMON_SIZES, 40, 50, 55, 60, 70)
"""SCOWL's "large" list, words found in most dictionaries; beyond are those of Scrabble only."""

# Only the sub-category "words" is read: names, abbreviations and contractions have files of their
# own. A capital, an accent or an apostrophe fails this pattern as well.
WORD = re.compile("[a-z]{3,12}")

# Slurs and obscenities are in neither file. Patterns are matched against the whole word.
NEVER = """
.*fuck.* (?!mis).*shit(?!t[ai][hm]).* .*cunts? .*niggers? niggerhead nigga[sz]? niggaz niggard.*
kikes? wogs? wops? dago(es|s)? spics? gooks? gooky honk(y|ey|ie|ies) whitey(s)? faggots? fagots?
homos?
mongol(oid|oids|ism) negro(es|id|ids)? dark(y|ie|ies) squaws? redskins? gyp gyps gypp.* jew
jewed jewing bitch.* slut.* whore.* whoring whorish.* cocksuck.* dickheads? titt(y|ies) twats?
wank(s|er|ers|ed|ing)? (ass|arse)(hole|wipe)s? piss(?!oir).* turds? cumm?(ing|ed|s)?
mulatto.* halfbreeds? octoroons? quadroons? sambos? pickaninn.* limeys? krauts? wetbacks? yids?
shiksas? sheen(y|ies) poof(s|ters?)? nances? coolies? hooknose.* dumbass.* sodomi[sz].* sodomites?
sodomy bollock.* buggery motherf.* towelheads? ragheads? jigaboos? shemales? fag+oting
"""

# Accepted as a guess, since they have a harmless meaning or are plain words, yet never dealt:
# swear words, sex and the body, violence, insults; and the odd "words" that no player would think
# of (names of letters, plurals of pronouns).
NOT_DEALT = """
ass asses jackass.* arse[sd]? tits? boob(s|ed|ing)? breast(s|ed|ing|fe.*)? nipples? puss(y|ies|es)?
cocks? cocked cockup.* dicks? prick(s|ed|ing)? penis(es)? penile vagina.* anus(es)? anal(ly)? clit.*
labia.* vulva.* hymens? scrot.* testic.* testes testis pubic pubes genital.* genitalia gonad.*
rectums? rectal uter(us|i|ine) fag(s|ged|ging)? dykes? queer.* retard(s|ed|ation)? crippl.*
spastic.* mongols? gyps(y|ies) pygm(y|ies) papis.* bastard.* harlot.* hookers? strumpet.* tossers?
bugger.* sod(s|ded|ding)? craps? crapp.* pee(s|d|ing)? poo(s|ed|p|ps|ped|ping)? fart(s|ed|ing)?
porn.*
sex sex(es|ed|ing|y|ier|iest|ily|iness|less|pot|pots) .*sexual.* sex(ism|ist|ists) rap(e|es|ed|ing)
rap(er|ers|ist|ists) incest.* pa?edophil.* molest.* orgas.* org(y|ies|iastic) masturb.* ejaculat.*
semen sperms? horn(y|ier|iest) erotic.* nud(e|es|er|est|ist|ists|ity|ism) kink(y|ier|iest) fetish.*
dildo.* condoms? contracept.* shag(s|ged|ging)? huns? nips? chinks? coons? gringos? goys? goyim
ponces? siss(y|ies) butch suicid.* genocid.* holocaust.* lynch.* goddam.* damn(s|ed|ing)? hell hells
midgets? cretin.* imbecil.* morons? moronic idiot.* bimbos? flooz.* huss(y|ies) wench.* douch.*
slags? enemas? diarrh.* hos hoes rednecks? gimps? welsh.* prostitut.* pimp(s|ed|ing)? brothels?
bordellos? sadis.* masoch.* castrat.* copulat.* fornicat.* intercourse aphrodisiac.*
sodom.* bestial.* nymphomania.* eunuchs? phall.* virgin(s|al|ity)? lust(s|ed|ing|ful) faeces
feces excre.* defecat.* urin.* vomit.* terroris.* nazi.* tortur.* massacr.* heroin cocaine
hes mes pis mas ohs ins xes ems ens ifs dos
"""


def matches(patterns: str, words: Iterable[str]) -> set[str]:
    """Return the words that one of the patterns, parted by white space, matches as a whole."""
    either = re.compile("|".join(f"(?:{pattern})" for pattern in patterns.split()))
    return {word for word in words if either.fullmatch(word)}


def read(folder: Path, spellings: Sequence[str], sizes: Sequence[int]) -> set[str]:
    """Return SCOWL's plain words of these spellings and sizes."""
    words = set[str]()
    for spelling in spellings:
        for size in sizes:
            file = folder / f"{spelling}-words.{size}"
            if file.exists():  # a spelling has no words of its own in some sizes
                words.update(filter(WORD.fullmatch, file.read_text("iso-8859-1").split()))
    if not words:
        raise SystemExit(f"no SCOWL word lists in {folder}")
    return words


def write(file: Path, words: Iterable[str]) -> None:
    """Write one word a line, by length, then by the alphabet."""
    lines = sorted(words, key=lambda word: (len(word), word))
    file.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")
    print(f"{file.name}: {len(lines)} words, {file.stat().st_size} bytes")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scowl", type=Path, help="the folder with english-words.10 and the others")
    parser.add_argument("--out", type=Path, default=DATA, help="folder (default: the package's)")
    args = parser.parse_args()
    common = read(args.scowl, ("english", "american"), COMMON_SIZES)
    # The British spellings too: whoever guesses "fibre" has guessed a word.
    every = common | read(args.scowl, ("english", "american", "british"), OTHER_SIZES)
    every -= matches(NEVER, every)
    common &= every
    common -= matches(NOT_DEALT, common)
    write(args.out / "words_common.txt", common)
    write(args.out / "words_other.txt", every - common)


if __name__ == "__main__":
    main()
