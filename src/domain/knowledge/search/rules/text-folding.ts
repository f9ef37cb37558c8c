const LETTER_REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["ø", "o"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ł", "l"],
  ["đ", "d"],
  ["ı", "i"]
])

export const foldText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    // In other scripts, marks are letters or change a letter.
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u0300-\u036f]+/gu, "$1")
    .normalize("NFC")
    .replace(/[ßøæœłđı]/g, (letter) => LETTER_REPLACEMENTS.get(letter) ?? letter)

/** Scripts without blanks between words, or with affixes attached to words. */
const UNBROKEN_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Tibetan}ー々]/u

export interface TextRun {
  readonly text: string
  readonly isUnbroken: boolean
}

const RUN_PATTERN = /[\p{L}\p{N}\p{M}]+/gu

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

export const stemOf = (word: string): string => stripEnding(stripEnding(word.slice(0, MAX_WORD_LENGTH)))

const stripEnding = (word: string): string => {
  if (word.length === MIN_STEM_LENGTH && word.endsWith("s")) return word.slice(0, -1)
  const ending = WORD_ENDINGS.find((each) => word.length - each.length >= MIN_STEM_LENGTH && word.endsWith(each))
  return ending === undefined || /\p{N}/u.test(word) ? word : word.slice(0, -ending.length)
}
