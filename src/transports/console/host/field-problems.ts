import { FIELD_WORDS, toFieldLabel } from "./field-words.ts"
import { formatDay } from "./page-parts.ts"

// The host's sentence for each problem that the API reports of a field.

interface ProblemRule {
  readonly pattern: RegExp
  readonly describe: (field: string, groups: ReadonlyArray<string>) => string
}

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

const toNoun = (field: string): string => FIELD_WORDS[field]?.noun ?? lowerFirst(toFieldLabel(field))

const describeMissing = (field: string): string => FIELD_WORDS[field]?.missing ?? `Fill in “${toFieldLabel(field)}”.`

const formatNumber = (text: string): string =>
  Number.isFinite(Number(text)) ? Number(text).toLocaleString("en", { maximumFractionDigits: 20 }) : text

const describeRange = (field: string, [least = "", most = ""]: ReadonlyArray<string>): string =>
  `${toFieldLabel(field)}: a whole number from ${formatNumber(least)} to ${formatNumber(most)}.`

const describeLeast = (field: string, [least = ""]: ReadonlyArray<string>): string =>
  `Enter ${toNoun(field)} of at least ${formatNumber(least)}.`

const describeMost = (field: string, [most = "", unit = ""]: ReadonlyArray<string>): string =>
  `${toFieldLabel(field)}: ${formatNumber(most)}${unit === "" ? "" : ` ${unit}`} max.`

const DECIMALS = ["no decimals", "one decimal", "two decimals", "three decimals", "four decimals"]

const describeDecimals = (currency: string): string => {
  const decimals = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits
  return `Amounts in ${currency} have ${DECIMALS[decimals ?? 2] ?? `${decimals} decimals`}.`
}

const RECORD_NOUNS: Readonly<Record<string, string>> = {
  order: "reservation",
  account: "channel account",
  "stay of the order": "stay"
}

const describeUnknown = (noun: string): string => `This ${RECORD_NOUNS[noun] ?? noun} no longer exists.`

/** The first rule that matches decides. */
const PROBLEM_RULES: ReadonlyArray<ProblemRule> = [
  { pattern: /^is required\b/, describe: describeMissing },
  { pattern: /^must not be empty$/, describe: describeMissing },
  { pattern: /^must be a (?:date|day)\b/, describe: describeMissing },
  { pattern: /^must be a positive id$/, describe: describeMissing },
  { pattern: /^must be a property's id, or 0$/, describe: describeMissing },
  { pattern: /^must be a list of at least one\b/, describe: describeMissing },
  { pattern: /^must (?:name|have) at least one\b/, describe: describeMissing },
  { pattern: /^must be an amount from (\S+) to \S+$/, describe: describeLeast },
  {
    pattern: /^must be a (?:number|score|percentage) from (\S+) to (\S+)\b/,
    describe: (field, [least = "", most = ""]) =>
      `${toFieldLabel(field)}: a number from ${formatNumber(least)} to ${formatNumber(most)}.`
  },
  {
    pattern: /^must be an? (?:amount|number|percentage)$/,
    describe: (field) => `${toFieldLabel(field)}: enter a number.`
  },
  { pattern: /^must be an amount above zero$/, describe: (field) => `Enter ${toNoun(field)} above 0.` },
  { pattern: /^must be an amount of at least (\S+)$/, describe: describeLeast },
  {
    pattern: /^must be an amount of at most (\S+)$/,
    describe: (field, [most = ""]) => `Enter ${toNoun(field)} of at most ${formatNumber(most)}.`
  },
  { pattern: /^must be (?:a whole number )?(?:of [a-z ]+ )?from (\S+) to (\S+)$/, describe: describeRange },
  { pattern: /^must be a whole number$/, describe: (field) => `${toFieldLabel(field)}: enter a whole number.` },
  {
    pattern: /^must (?:be|have) (?:one line of )?at most (\d+) (characters)(?: on \S+)?$/,
    describe: describeMost
  },
  { pattern: /^must be (?:a list of )?at most (\d+)(?: [a-z]+)?(?: at once)?$/, describe: describeMost },
  {
    pattern: /^must be an e-mail address\b/,
    describe: () => "Enter a valid e-mail address, such as host@example.com."
  },
  {
    pattern: /^must be a time in the form HH:mm(?::ss)?\b/,
    describe: (field) => `${toFieldLabel(field)}: enter a time such as 15:00.`
  },
  { pattern: /^must be a time\b/, describe: (field) => `${toFieldLabel(field)}: choose a date and a time.` },
  {
    pattern: /^must be the ISO 4217 code\b/,
    describe: () => "Enter the code of a currency, such as EUR."
  },
  {
    pattern: /^must be one of /,
    describe: (field) => `Choose one of the options of “${toFieldLabel(field)}”.`
  },
  {
    pattern: /^must not contain (?:the character|half of)/,
    describe: (field) => `Remove the invalid character from “${toFieldLabel(field)}”.`
  },
  { pattern: /^must be (?:a text|true or false|an object|an array|null|a list)$/, describe: describeMissing },
  {
    pattern: /^has more decimals than ([A-Z]{3}) has$/,
    describe: (_field, [currency = ""]) => describeDecimals(currency)
  },
  {
    pattern: /^an amount of the order has more decimals than ([A-Z]{3}) has$/,
    describe: (_field, [currency = ""]) => describeDecimals(currency)
  },
  {
    pattern: /^must be ([A-Z]{3}), the currency of the order$/,
    describe: (_field, [currency = ""]) => `Use ${currency}, the currency of the reservation.`
  },
  { pattern: /^must be after check_in_date$/, describe: () => "Check-out must be after check-in." },
  {
    pattern: /^must be (?:within|at most) (\d+) nights (?:of|after) check_in_date$/,
    describe: (_field, [nights = ""]) => `A stay has at most ${formatNumber(nights)} nights.`
  },
  {
    pattern: /^must not be (after|before|below|above) ([a-z_]+)$/,
    describe: (field, [relation = "", other = ""]) =>
      `${toFieldLabel(field)} must not be ${relation} ${lowerFirst(toFieldLabel(other))}.`
  },
  {
    pattern: /^must be within (\d+) days of (?!today)([a-z_]+)$/,
    describe: (field, [days = "", other = ""]) =>
      `${toFieldLabel(field)}: choose a day within ${formatNumber(days)} days of ${lowerFirst(toFieldLabel(other))}.`
  },
  { pattern: /^must be today or later\b/, describe: () => "Choose today or a later day." },
  { pattern: /^must be at least one content$/, describe: describeMissing },
  { pattern: /^another property has it already$/, describe: () => "You already have a property with this name." },
  {
    pattern: /^is already used by another account$/,
    describe: () => "Another account has this e-mail address."
  },
  {
    pattern: /^is already used by another (.+)$/,
    describe: (field, [kind = "record"]) =>
      `You already have a ${RECORD_NOUNS[kind] ?? kind} with this ${lowerFirst(toFieldLabel(field))}.`
  },
  {
    pattern: /^(?:the property|property \d+) is not free on the night of (\S+): (.+)$/,
    describe: (_field, [day = "", reason = ""]) =>
      `The property is not free on ${formatDay(day)}: ${lowerFirst(reason)}.`
  },
  {
    pattern: /^the property is not free on all of these nights$/,
    describe: () => "The property is not free on these nights."
  },
  {
    pattern: /^another reservation holds nights of this one$/,
    describe: () => "The property is no longer free on these nights."
  },
  {
    pattern: /^(?:does not work|must be a staff member who works) in (?:the property|all property_ids)\b/,
    describe: () => "This staff member is not assigned to this property."
  },
  {
    pattern: /^is not active, so no task can be assigned$/,
    describe: () => "This staff member is inactive."
  },
  { pattern: /^must be an active staff member$/, describe: () => "This staff member is inactive." },
  { pattern: /^the property is deactivated$/, describe: () => "This property is inactive. Activate it first." },
  {
    pattern: /^the (?:order|reservation) is ([a-z_]+)\b[,;]? (?:not waiting for an answer|.+)$/,
    describe: (_field, [status = ""]) =>
      `This reservation is ${STATUS_WORDS[status] ?? status}, so this is not possible.`
  },
  {
    pattern: /^cannot be outstanding with an action_at\b/,
    describe: () => "Choose a future date for an outstanding entry."
  },
  { pattern: /^its order has ended$/, describe: () => "This reservation has ended." },
  {
    pattern: /^is not in the dictionary\b/,
    describe: (field) => `${toFieldLabel(field)}: this choice no longer exists. Choose another one.`
  },
  {
    pattern: /^must be at least (\d+): the stay has (\d+) children, and an adult$/,
    describe: (_field, [least = "", children = ""]) =>
      `Enter at least ${least} guests: ${children} ${children === "1" ? "child" : "children"} and an adult.`
  },
  {
    pattern: /^a stay has at most (\d+) of them, of at most (\d+) characters in all$/,
    describe: (_field, [most = "", characters = ""]) =>
      `A stay has at most ${formatNumber(most)} custom fields, of ${formatNumber(characters)} characters in all.`
  },
  {
    pattern: /^is new, but the account already has (\d+) tags of its own\b/,
    describe: (_field, [most = ""]) => `You already have ${formatNumber(most)} tags, the maximum. Use one of them.`
  },
  {
    pattern: /^all (\d+) ([a-z ]+) of the subscription are in use$/,
    describe: (_field, [most = "", noun = ""]) => `All ${formatNumber(most)} ${noun} of your subscription are in use.`
  },
  {
    pattern: /^the channel failed or did not answer in time$/,
    describe: () => "The channel did not answer. Try again in a moment."
  },
  { pattern: /^no such ([a-z -]+?)(?:s)?: .+$/, describe: (_field, [noun = ""]) => describeUnknown(noun) },
  { pattern: /^no such ([^:;,]+)(?:[:;,].*)?$/, describe: (_field, [noun = ""]) => describeUnknown(noun) }
]

const STATUS_WORDS: Readonly<Record<string, string>> = {
  wait_accept: "a request",
  wait_pay: "awaiting payment",
  accepted: "confirmed",
  cancelled: "cancelled",
  denied: "declined",
  timeout: "expired"
}

/** Words that begin the predicate of the field. Other problems are sentences of their own. */
const PREDICATE_START = /^(?:must|is|has|have|cannot|does|can|needs|was|belongs|already|costs|require|requires)\b/

/** A problem that begins with a capital is a sentence of the console already. */
export const describeProblem = (field: string, problem: string): string => {
  for (const { pattern, describe } of PROBLEM_RULES) {
    const match = pattern.exec(problem)
    if (match !== null) return describe(field, match.slice(1))
  }
  if (!/^[a-z]/.test(problem)) return `${problem}.`
  const text = replaceApiWords(problem)
  return PREDICATE_START.test(problem) ? `${toFieldLabel(field)} ${text}.` : `${capitalize(text)}.`
}

const replaceApiWords = (problem: string): string =>
  problem
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, formatDay)
    .replaceAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => STATUS_WORDS[name] ?? lowerFirst(toFieldLabel(name)))
    .replaceAll(/\border\b/g, "reservation")
    .replaceAll(/\bdeactivated\b/g, "inactive")

/** Sentences of the API that name no field. */
const SENTENCES: Readonly<Record<string, string>> = {
  "This resource is no longer available.": "This reservation no longer exists.",
  "The stay no longer exists.": "This reservation no longer exists.",
  "Only manually created reservations can be cancelled through this endpoint.":
    "Only reservations that you entered can be cancelled here. Cancel others at their channel.",
  "The property is deactivated. Activate it.": "This property is inactive. Activate it first.",
  "Other requests are changing the order at the same time; try again.":
    "Somebody else is changing this reservation at the same time. Try again."
}

export const describeSentence = (sentence: string): string => {
  const [, count] = /^And (\d+) more\.$/.exec(sentence) ?? []
  if (count !== undefined) return `${count} more ${count === "1" ? "field needs" : "fields need"} correction.`
  return Object.hasOwn(SENTENCES, sentence) ? (SENTENCES[sentence] ?? sentence) : sentence
}
