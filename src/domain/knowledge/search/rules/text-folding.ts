// Texts as they are compared: what a guest and a host write differently and mean alike is the same here.

const LETTER_REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["ø", "o"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ł", "l"],
  ["đ", "d"],
  ["ı", "i"]
])

/** In one form of Unicode, in lower case and without the accents of Latin, Greek and Cyrillic letters. */
export const foldText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    // The marks of other scripts are letters of their own there, or make another letter of one.
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u0300-\u036f]+/gu, "$1")
    .normalize("NFC")
    .replace(/[ßøæœłđı]/g, (letter) => LETTER_REPLACEMENTS.get(letter) ?? letter)

/** Scripts that put no blanks between words, or put to a word what belongs to it: they are read character by character. */
const UNBROKEN_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Tibetan}ー々]/u

/** A word of a folded text, or a run of characters of a script without word breaks. */
export interface TextRun {
  readonly text: string
  readonly isUnbroken: boolean
}

const RUN_PATTERN = /[\p{L}\p{N}\p{M}]+/gu

/** The words of a folded text. */
export const splitRuns = (text: string): ReadonlyArray<TextRun> =>
  Array.from(text.matchAll(RUN_PATTERN), ([run]) => splitByScript(run)).flat()

const splitByScript = (run: string): ReadonlyArray<TextRun> => {
  if (!UNBROKEN_SCRIPTS.test(run)) return [{ text: run, isUnbroken: false }]
  const runs: Array<{ text: string; isUnbroken: boolean }> = []
  for (const character of run) {
    const last = runs.at(-1)
    const isUnbroken = UNBROKEN_SCRIPTS.test(character) || (/\p{M}/u.test(character) && (last?.isUnbroken ?? true))
    if (last?.isUnbroken === isUnbroken) last.text += character
    else runs.push({ text: character, isUnbroken })
  }
  return runs
}

/** Characters of a stem at least, and of a word that is looked at. */
const MIN_STEM_LENGTH = 4
const MAX_WORD_LENGTH = 40

const WORD_ENDINGS = [
  "ings",
  "ing",
  "ies",
  "ung",
  "ed",
  "es",
  "en",
  "er",
  "em",
  "os",
  "as",
  "ar",
  "ir",
  "s",
  "e",
  "n",
  "a",
  "o",
  "y",
  "i"
]

/** A word without what its languages put at its end, twice at most: rough, as nobody knows which language it is of. */
export const stemOf = (word: string): string => stripEnding(stripEnding(word.slice(0, MAX_WORD_LENGTH)))

const stripEnding = (word: string): string => {
  if (word.length === MIN_STEM_LENGTH && word.endsWith("s")) return word.slice(0, -1)
  const ending = WORD_ENDINGS.find((each) => word.length - each.length >= MIN_STEM_LENGTH && word.endsWith(each))
  return ending === undefined || /\p{N}/u.test(word) ? word : word.slice(0, -ending.length)
}
