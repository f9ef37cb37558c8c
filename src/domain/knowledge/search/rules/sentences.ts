// How a text is cut: into sentences, which an answer is made of, and those into fragments, which are found.

/** Characters of a sentence; what goes on without an end is cut there. */
export const SENTENCE_TEXT = 400
/** Characters of a fragment; one sentence is never cut for it. */
export const FRAGMENT_TEXT = 400
/** Characters from which on a fragment ends with its paragraph. */
const PARAGRAPH_TEXT = 120

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" })

/** Ends that end no sentence: abbreviations, and numbers in a list. */
const NO_END =
  /(?:(?:^|(?<!\d)[\s(])(?:\p{L}|nr|no|num|st|str|ca|approx|dr|mr|mrs|ms|av|avda|tel|bzw|usw|min|max|incl|inkl|e\.g|i\.e|z\.\s?B|d\.\s?h|p\.\s?ej)|^\s*\d{1,2}|\s(?:im|am|vom|zum|bis|der|den|dem)\s\d{1,2})\.\s*$/iu

/** The sentences of a text, with the blanks around them: together they are the text. */
export const sentencesOf = (text: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let open = ""
  for (const { segment } of segmenter.segment(text)) {
    if (open.length + segment.length > SENTENCE_TEXT && open !== "") {
      sentences.push(...cut(open))
      open = ""
    }
    open += segment
    if (!/\n\s*$/.test(segment) && NO_END.test(segment.slice(-12))) continue
    sentences.push(...cut(open))
    open = ""
  }
  return open === "" ? sentences : [...sentences, ...cut(open)]
}

/** A sentence that is too long to be an answer, in pieces that end between words where there are blanks. */
const cut = (sentence: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let from = 0
  while (sentence.length - from > SENTENCE_TEXT) {
    const until = endOfPiece(sentence, from)
    pieces.push(sentence.slice(from, until))
    from = until
  }
  return [...pieces, sentence.slice(from)]
}

const endOfPiece = (sentence: string, from: number): number => {
  const most = from + SENTENCE_TEXT
  const blank = sentence.lastIndexOf(" ", most - 1)
  if (blank > from) return blank + 1
  return isLowSurrogate(sentence.charCodeAt(most)) ? most - 1 : most
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Whether nothing of it is a letter or a digit. */
const saysNothing = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text)

/** Whether what is open is long enough and ends with an empty line. Read from its end: there may be thousands of empty lines. */
const endsParagraph = (text: string): boolean =>
  text.length >= PARAGRAPH_TEXT && text.slice(text.trimEnd().length).split("\n").length > 2

/** Sentences together, as far as they stand in one paragraph and are short: together they are the text. */
export const fragmentTexts = (text: string): ReadonlyArray<string> => {
  const fragments: Array<string> = []
  let open = ""
  for (const sentence of sentencesOf(text)) {
    const full = open.length + sentence.length > FRAGMENT_TEXT
    if (open !== "" && !saysNothing(sentence) && (full || endsParagraph(open))) {
      fragments.push(open)
      open = ""
    }
    open += sentence
  }
  return open === "" ? fragments : [...fragments, open]
}
