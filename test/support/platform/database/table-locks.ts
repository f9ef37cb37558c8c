// What a statement of a migration keeps others from for long, as far as its text tells: all rows of a table that exists
// are read or written anew under a lock. What waiting costs beside that is not seen here.

interface LockRule {
  readonly what: string
  readonly pattern: RegExp
  /** What of the same words is quick all the same. */
  readonly exceptPattern?: RegExp
}

/** Of one action of an ALTER TABLE, or of a whole statement of another kind. */
const LOCK_RULES: ReadonlyArray<LockRule> = [
  { what: "builds an index while nobody writes", pattern: /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY\b)/ },
  { what: "gives a column another type", pattern: /^ALTER (?:COLUMN )?\S+ (?:SET DATA )?TYPE\b/ },
  { what: "looks whether a column is never null", pattern: /^ALTER (?:COLUMN )?\S+ SET NOT NULL\b/ },
  {
    what: "checks a constraint of all rows",
    pattern: /^ADD (?:CONSTRAINT \S+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY|EXCLUDE)\b/,
    exceptPattern: /\bNOT VALID\b|\bUSING INDEX\b/
  },
  {
    what: "adds a column with a value or a key that all rows are written or read for",
    pattern:
      /^ADD (?!CONSTRAINT\b|CHECK\b|FOREIGN\b|UNIQUE\b|PRIMARY\b|EXCLUDE\b)(?:COLUMN )?(?:IF NOT EXISTS )?\S+ .*(?:\b(?:RANDOM|GEN_RANDOM_UUID|CLOCK_TIMESTAMP|NEXTVAL)\(|\bGENERATED\b|\bUNIQUE\b|\bPRIMARY KEY\b|\bCHECK\b|\bREFERENCES\b)/
  },
  { what: "writes a table anew", pattern: /^(?:CLUSTER|VACUUM FULL)\b|^SET (?:LOGGED|UNLOGGED|TABLESPACE)\b/ }
]

/** Its words, in one line. Names are as they are, everything that PostgreSQL reads in any letters is large. */
const normalizeStatement = (statement: string): string =>
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

const ALTER_TABLE = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(?:PUBLIC\.)?(\S+) (.*)$/
const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX .*?\bON (?:ONLY )?(?:PUBLIC\.)?([^\s(]+)/
const REWRITE_TABLE = /^(?:CLUSTER|VACUUM FULL) (\S+)/

export interface BlockedTable {
  readonly table: string
  readonly what: string
}

/** What a statement keeps others from; nothing where the table is not among those there are already. */
export const findLongLocks = (statement: string, existingTables: ReadonlySet<string>): ReadonlyArray<BlockedTable> => {
  const text = normalizeStatement(statement)
  const [, alteredTable, rest = ""] = ALTER_TABLE.exec(text) ?? []
  const table = (alteredTable ?? CREATE_INDEX.exec(text)?.[1] ?? REWRITE_TABLE.exec(text)?.[1] ?? "")
    .replaceAll('"', "")
    .toLowerCase()
  if (!existingTables.has(table)) return []
  return (alteredTable === undefined ? [text] : actionsOf(rest)).flatMap((action) =>
    LOCK_RULES.flatMap(({ what, pattern, exceptPattern }) =>
      pattern.test(action) && exceptPattern?.test(action) !== true ? [{ table, what }] : []
    )
  )
}
