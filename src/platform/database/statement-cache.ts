import type { PgClient } from "@effect/sql-pg/PgClient"
import { type Effect, Effectable, type Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  type Fragment,
  fragment,
  type Identifier,
  identifier,
  isFragment,
  literal,
  parameter,
  type Segment,
  type Statement
} from "effect/sql/Statement"
import { toSingleLine } from "./statement-text.ts"

// Caches the texts of SQL statements. Each template has one strings array for the life of the process. So a tree maps
// each sequence of templates to its text.

/** Beyond this number the client drops all cached texts. */
export const CACHED_TEXTS = 4_000

/** Marks a fragment of `effect`, which does not export this key. */
const FRAGMENT = "~effect/sql/Statement/Fragment"

class TreeNode {
  text: string | undefined
  #parameterChild: TreeNode | undefined
  #firstKey: object | string | undefined
  #firstChild: TreeNode | undefined
  #otherChildren: Map<object | string, TreeNode> | undefined

  getParameterChild(): TreeNode {
    this.#parameterChild ??= new TreeNode()
    return this.#parameterChild
  }

  getChild(key: object | string): TreeNode {
    if (this.#firstKey === key && this.#firstChild !== undefined) return this.#firstChild
    if (this.#firstChild === undefined) {
      this.#firstKey = key
      this.#firstChild = new TreeNode()
      return this.#firstChild
    }
    this.#otherChildren ??= new Map()
    const known = this.#otherChildren.get(key)
    if (known !== undefined) return known
    const added = new TreeNode()
    this.#otherChildren.set(key, added)
    return added
  }
}

/** Returns one object per name, so that an identifier and a literal of the same text are different keys. */
const makeIdentifiers = (): ((name: string) => Identifier) => {
  const identifiers = new Map<string, Identifier>()
  return (name: string): Identifier => {
    const known = identifiers.get(name)
    if (known !== undefined) return known
    const added = identifier(name)
    identifiers.set(name, added)
    return added
  }
}

const makeSegmentCounts = (): ((count: number) => object) => {
  const counts = new Map<number, object>()
  return (count: number): object => {
    const known = counts.get(count)
    if (known !== undefined) return known
    const added = { count }
    counts.set(count, added)
    return added
  }
}

const HELPERS: ReadonlySet<unknown> = new Set<Segment["_tag"]>([
  "Identifier",
  "ArrayHelper",
  "RecordInsertHelper",
  "RecordUpdateHelper",
  "RecordUpdateHelperSingle",
  "Custom"
])

const isSegment = (value: object): value is Segment => "_tag" in value && HELPERS.has(value._tag)

class LiteralFragment implements Fragment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  get [FRAGMENT](): typeof FRAGMENT {
    return FRAGMENT
  }
  get segments(): ReadonlyArray<Segment> {
    return [literal(this.text)]
  }
}

class StatementTexts {
  readonly toIdentifier = makeIdentifiers()
  readonly #toSegmentCount = makeSegmentCounts()
  readonly #client: SqlClient
  #root = new TreeNode()
  #size = 0

  constructor(client: SqlClient) {
    this.#client = client
  }

  toStatement<A extends object>(template: TemplateStatement<A>): Statement<A> {
    const values: Array<unknown> = []
    const node = this.#walk(this.#root, template, values)
    if (node === undefined) return this.#compose(template)
    node.text ??= this.#addText(template)
    return this.#client.unsafe<A>(node.text, values)
  }

  #compose<A extends object>(template: TemplateStatement<A>): Statement<A> {
    return this.#client<A>`${fragment(template.segments)}`
  }

  #addText(template: TemplateStatement<object>): string {
    if (this.#size >= CACHED_TEXTS) {
      this.#root = new TreeNode()
      this.#size = 0
    }
    this.#size++
    const [text] = this.#compose(template).compile()
    return toSingleLine(text)
  }

  /** Returns undefined if the text of the part depends on its values. */
  #walk(start: TreeNode, part: unknown, values: Array<unknown>): TreeNode | undefined {
    if (part instanceof TemplateStatement) {
      let node: TreeNode | undefined = start.getChild(part.strings)
      for (const each of part.parts) {
        node = this.#walk(node, each, values)
        if (node === undefined) return undefined
      }
      return node
    }
    if (part instanceof LiteralFragment) return start.getChild(part.text)
    if (typeof part === "object" && part !== null) {
      if (isFragment(part)) return this.#walkSegments(start, part.segments, values)
      if (isSegment(part)) return this.#walkSegments(start, [part], values)
    }
    values.push(part)
    return start.getParameterChild()
  }

  #walkSegments(start: TreeNode, segments: ReadonlyArray<Segment>, values: Array<unknown>): TreeNode | undefined {
    // The number of segments marks the end of the part: parts of 2 and 1 segments must not share a text with parts of 1
    // and 2.
    let node = start.getChild(this.#toSegmentCount(segments.length))
    for (const segment of segments) {
      if (segment._tag === "Parameter") {
        values.push(segment.value)
        node = node.getParameterChild()
      } else if (segment._tag === "Identifier") node = node.getChild(this.toIdentifier(segment.value))
      else if (segment._tag === "Literal" && segment.params === undefined) node = node.getChild(segment.value)
      else return undefined
    }
    return node
  }
}

class TemplateStatement<A extends object> extends Effectable.Class<ReadonlyArray<A>, SqlError> implements Statement<A> {
  readonly strings: ReadonlyArray<string>
  readonly parts: ReadonlyArray<unknown>
  readonly #texts: StatementTexts

  constructor(strings: ReadonlyArray<string>, parts: ReadonlyArray<unknown>, texts: StatementTexts) {
    super()
    this.strings = strings
    this.parts = parts
    this.#texts = texts
  }

  get [FRAGMENT](): typeof FRAGMENT {
    return FRAGMENT
  }
  get segments(): ReadonlyArray<Segment> {
    return this.strings.flatMap((text, at) =>
      at === 0 ? [literal(text)] : [...toSegments(this.parts[at - 1]), literal(text)]
    )
  }
  override asEffect(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.#texts.toStatement(this)
  }
  get raw(): Effect.Effect<unknown, SqlError> {
    return this.#texts.toStatement(this).raw
  }
  get withoutTransform(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.#texts.toStatement(this).withoutTransform
  }
  get stream(): Stream.Stream<A, SqlError> {
    return this.#texts.toStatement(this).stream
  }
  get values(): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> {
    return this.#texts.toStatement(this).values
  }
  get valuesUnprepared(): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> {
    return this.#texts.toStatement(this).valuesUnprepared
  }
  get unprepared(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.#texts.toStatement(this).unprepared
  }
  compile(): readonly [sql: string, params: ReadonlyArray<unknown>] {
    return this.#texts.toStatement(this).compile()
  }
}

const toSegments = (part: unknown): ReadonlyArray<Segment> => {
  if (isFragment(part)) return part.segments
  return typeof part === "object" && part !== null && isSegment(part) ? [part] : [parameter(part)]
}

type Clauses = ReadonlyArray<string | Fragment>

const makeJoin = (texts: StatementTexts) => {
  const templatesByJoin = new Map<string, Map<number, ReadonlyArray<string>>>()
  return (separator: string, hasParentheses = true, fallback = ""): ((clauses: Clauses) => Fragment) => {
    // Templates are kept, because a new strings array would never be in the cache.
    const joinKey = JSON.stringify([separator, hasParentheses, fallback])
    const templates = templatesByJoin.get(joinKey) ?? new Map<number, ReadonlyArray<string>>()
    templatesByJoin.set(joinKey, templates)
    const templateFor = (count: number): ReadonlyArray<string> => {
      const known = templates.get(count)
      if (known !== undefined) return known
      const [open, close] = hasParentheses && count > 1 ? ["(", ")"] : ["", ""]
      const added = count === 0 ? [fallback] : [open, ...Array<string>(count - 1).fill(separator), close]
      templates.set(count, added)
      return added
    }
    return (clauses) => {
      const parts = clauses.map((clause) => (typeof clause === "string" ? new LiteralFragment(clause) : clause))
      return new TemplateStatement(templateFor(clauses.length), parts, texts)
    }
  }
}

export const withStatementCache = (client: PgClient): PgClient => {
  const texts = new StatementTexts(client)
  const join = makeJoin(texts)
  function template<A extends object>(strings: TemplateStringsArray, ...parts: ReadonlyArray<unknown>): Statement<A>
  function template(name: string): Identifier
  function template(
    first: TemplateStringsArray | string,
    ...parts: ReadonlyArray<unknown>
  ): Statement<object> | Identifier {
    return typeof first === "string" ? texts.toIdentifier(first) : new TemplateStatement(first, parts, texts)
  }
  const joinByComma = join(",", false)
  return Object.assign(template, client, {
    literal: (text: string): Fragment => new LiteralFragment(text),
    join,
    and: join(" AND ", true, "1=1"),
    or: join(" OR ", true, "1=1"),
    csv: (...[first, second]: [Clauses] | [string, Clauses]): Fragment =>
      typeof first === "string" ? client.csv(first, second ?? []) : joinByComma(first)
  })
}

/** Composes a fragment without values once, not in each call. */
export const toStaticSql = (sql: SqlClient, part: Fragment): Fragment => {
  const [text, values] = sql`${part}`.compile()
  if (values.length > 0) throw new Error(`a static part of a statement has values: ${text}`)
  return sql.literal(text)
}
