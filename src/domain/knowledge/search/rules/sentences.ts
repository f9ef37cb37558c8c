// How a text is cut: into sentences, which an answer is made of, and those into fragments, which are found.

/** Characters of a sentence; what goes on without an end is cut there. */
export const MAX_SENTENCE_LENGTH = 400
/** Characters of a fragment; one sentence is never cut for it. */
export const MAX_FRAGMENT_LENGTH = 400
/** Characters from which on a fragment ends with its paragraph. */
const MIN_PARAGRAPH_LENGTH = 120

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" })

/** Ends that end no sentence: abbreviations, and numbers in a list. */
const ABBREVIATION_END =
  /(?:(?:^|(?<!\d)[\s(])(?:\p{L}|nr|no|num|st|str|ca|approx|dr|mr|mrs|ms|av|avda|tel|bzw|usw|min|max|incl|inkl|e\.g|i\.e|z\.\s?B|d\.\s?h|p\.\s?ej)|^\s*\d{1,2}|\s(?:im|am|vom|zum|bis|der|den|dem)\s\d{1,2})\.\s*$/iu

/** The sentences of a text, with the blanks around them: together they are the text. */
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

/** A sentence that is too long to be an answer, in pieces that end between words where there are blanks. */
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

/** Whether nothing of it is a letter or a digit. */
const hasNoWords = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text)

/** Whether what is open is long enough and ends with an empty line. Read from its end: there may be thousands of empty lines. */
const endsParagraph = (text: string): boolean =>
  text.length >= MIN_PARAGRAPH_LENGTH && text.slice(text.trimEnd().length).split("\n").length > 2

/** Sentences together, as far as they stand in one paragraph and are short: together they are the text. */
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
