// A fragment is a few consecutive sentences of a text.

export const MAX_SENTENCE_LENGTH = 400
/** A single sentence may be longer. */
export const MAX_FRAGMENT_LENGTH = 400
/** A shorter fragment continues into the next paragraph. */
const MIN_PARAGRAPH_LENGTH = 120

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" })

/** Periods that do not end a sentence, such as those of abbreviations. */
const ABBREVIATION_END =
  /(?:(?:^|(?<!\d)[\s(])(?:\p{L}|nr|no|num|st|str|ca|approx|dr|mr|mrs|ms|av|avda|tel|bzw|usw|min|max|incl|inkl|e\.g|i\.e|z\.\s?B|d\.\s?h|p\.\s?ej)|^\s*\d{1,2}|\s(?:im|am|vom|zum|bis|der|den|dem)\s\d{1,2})\.\s*$/iu

/** Joined, the sentences give the text. */
export const splitSentences = (text: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let current = ""
  for (const { segment } of segmenter.segment(text)) {
    if (current.length + segment.length > MAX_SENTENCE_LENGTH && current !== "") {
      sentences.push(...splitLongSentence(current))
      current = ""
    }
    current += segment
    if (!/\n\s*$/.test(segment) && ABBREVIATION_END.test(segment.slice(-12))) continue
    sentences.push(...splitLongSentence(current))
    current = ""
  }
  return current === "" ? sentences : [...sentences, ...splitLongSentence(current)]
}

const splitLongSentence = (sentence: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let from = 0
  while (sentence.length - from > MAX_SENTENCE_LENGTH) {
    const until = findPieceEnd(sentence, from)
    pieces.push(sentence.slice(from, until))
    from = until
  }
  return [...pieces, sentence.slice(from)]
}

const findPieceEnd = (sentence: string, from: number): number => {
  const maxEnd = from + MAX_SENTENCE_LENGTH
  const blank = sentence.lastIndexOf(" ", maxEnd - 1)
  if (blank > from) return blank + 1
  return isLowSurrogate(sentence.charCodeAt(maxEnd)) ? maxEnd - 1 : maxEnd
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const hasNoWords = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text)

/** Searches from the end, because there may be thousands of empty lines. */
const endsParagraph = (text: string): boolean =>
  text.length >= MIN_PARAGRAPH_LENGTH && text.slice(text.trimEnd().length).split("\n").length > 2

/** Joined, the fragments give the text. */
export const splitFragments = (text: string): ReadonlyArray<string> => {
  const fragments: Array<string> = []
  let current = ""
  for (const sentence of splitSentences(text)) {
    const isFull = current.length + sentence.length > MAX_FRAGMENT_LENGTH
    if (current !== "" && !hasNoWords(sentence) && (isFull || endsParagraph(current))) {
      fragments.push(current)
      current = ""
    }
    current += sentence
  }
  return current === "" ? fragments : [...fragments, current]
}
