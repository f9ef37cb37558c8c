// What a statement of a migration keeps others from for long, as far as its text tells: all rows of a table that exists
// are read or written anew under a lock. What waiting costs beside that is not seen here.

interface Rule {
  readonly what: string
  readonly is: RegExp
  /** What of the same words is quick all the same. */
  readonly unless?: RegExp
}

/** Of one action of an ALTER TABLE, or of a whole statement of another kind. */
const RULES: ReadonlyArray<Rule> = [
  { what: "builds an index while nobody writes", is: /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY\b)/ },
  { what: "gives a column another type", is: /^ALTER (?:COLUMN )?\S+ (?:SET DATA )?TYPE\b/ },
  { what: "looks whether a column is never null", is: /^ALTER (?:COLUMN )?\S+ SET NOT NULL\b/ },
  {
    what: "checks a constraint of all rows",
    is: /^ADD (?:CONSTRAINT \S+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY|EXCLUDE)\b/,
    unless: /\bNOT VALID\b|\bUSING INDEX\b/
  },
  {
    what: "adds a column with a value or a key that all rows are written or read for",
    is: /^ADD (?!CONSTRAINT\b|CHECK\b|FOREIGN\b|UNIQUE\b|PRIMARY\b|EXCLUDE\b)(?:COLUMN )?(?:IF NOT EXISTS )?\S+ .*(?:\b(?:RANDOM|GEN_RANDOM_UUID|CLOCK_TIMESTAMP|NEXTVAL)\(|\bGENERATED\b|\bUNIQUE\b|\bPRIMARY KEY\b|\bCHECK\b|\bREFERENCES\b)/
  },
  { what: "writes a table anew", is: /^(?:CLUSTER|VACUUM FULL)\b|^SET (?:LOGGED|UNLOGGED|TABLESPACE)\b/ }
]

/** Its words, in one line. Names are as they are, everything that PostgreSQL reads in any letters is large. */
const plain = (statement: string): string =>
  statement
    .replace(/--.*$|\/\*[\s\S]*?\*\//gm, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toUpperCase()

/** The actions of an ALTER TABLE: commas in parentheses are part of one. */
const actionsOf = (text: string): ReadonlyArray<string> => {
  const actions = [""]
  let depth = 0
  for (const character of text) {
    if (character === "(") depth += 1
    if (character === ")") depth -= 1
    if (character === "," && depth === 0) actions.push("")
    else actions[actions.length - 1] += character
  }
  return actions.map((action) => action.trim())
}

const ALTER = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(?:PUBLIC\.)?(\S+) (.*)$/
const INDEXED = /^CREATE (?:UNIQUE )?INDEX .*?\bON (?:ONLY )?(?:PUBLIC\.)?([^\s(]+)/
const REWRITTEN = /^(?:CLUSTER|VACUUM FULL) (\S+)/

export interface BlockedTable {
  readonly table: string
  readonly what: string
}

/** What a statement keeps others from; nothing where the table is not among those there are already. */
export const findLongLocks = (statement: string, there: ReadonlySet<string>): ReadonlyArray<BlockedTable> => {
  const text = plain(statement)
  const [, altered, rest = ""] = ALTER.exec(text) ?? []
  const table = (altered ?? INDEXED.exec(text)?.[1] ?? REWRITTEN.exec(text)?.[1] ?? "")
    .replaceAll('"', "")
    .toLowerCase()
  if (!there.has(table)) return []
  return (altered === undefined ? [text] : actionsOf(rest)).flatMap((action) =>
    RULES.flatMap(({ what, is, unless }) => (is.test(action) && unless?.test(action) !== true ? [{ table, what }] : []))
  )
}
