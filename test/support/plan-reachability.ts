import { GLOBAL_TABLES } from "./global-tables.ts"

// Whether a plan reaches each table by one operator. A plan with its values in it tells this better than the text of its
// statement: the database has already found out what a condition on one table means for another that is joined.

/** A node of a plan, as `EXPLAIN (VERBOSE, FORMAT JSON)` says it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Alias?: string
  readonly Operation?: string
  readonly Output?: ReadonlyArray<string>
  readonly "Parent Relationship"?: string
  readonly Plans?: ReadonlyArray<PlanNode>
  readonly [property: string]: unknown
}

const CONDITIONS = ["Filter", "Join Filter", "Index Cond", "Recheck Cond", "Hash Cond", "Merge Cond"]

export const listPlanNodes = (plan: PlanNode): ReadonlyArray<PlanNode> => [
  plan,
  ...(plan.Plans ?? []).flatMap(listPlanNodes)
]

/** Each character of an expression outside of quotes, with how many parentheses are open around it. */
const walked = function* (text: string): Generator<{ readonly at: number; readonly depth: number }> {
  let depth = 0
  let quote = ""
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== "") {
      if (character === quote) quote = ""
    } else if (character === "'" || character === '"') quote = character
    else {
      if (character === ")") depth -= 1
      yield { at, depth }
      if (character === "(") depth += 1
    }
  }
}

/** The parts of an expression between these words, outside of parentheses and quotes. */
const split = (text: string, word: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let from = 0
  for (const { at, depth } of walked(text)) {
    if (depth === 0 && at >= from && text.startsWith(word, at)) {
      parts.push(text.slice(from, at))
      from = at + word.length
    }
  }
  return [...parts, text.slice(from)]
}

/** Without parentheses around the whole of it. */
const bare = (text: string): string => {
  const trimmed = text.trim()
  if (!trimmed.startsWith("(") || !trimmed.endsWith(")")) return trimmed
  const closes = Array.from(walked(trimmed)).find(({ at, depth }) => at > 0 && depth === 0)
  return closes?.at === trimmed.length - 1 ? bare(trimmed.slice(1, -1)) : trimmed
}

/** What must be equal where a condition holds: of an OR, or a NOT, nothing. */
const equalities = (condition: string): ReadonlyArray<readonly [string, string]> =>
  split(bare(condition), " AND ").flatMap((part) => {
    const conjunct = bare(part)
    if (split(conjunct, " AND ").length > 1) return equalities(conjunct)
    const sides = split(conjunct, " = ")
    const [left = "", right = ""] = sides
    return sides.length === 2 && split(conjunct, " OR ").length === 1 ? [[bare(left), bare(right)] as const] : []
  })

const equalitiesOf = (node: PlanNode): ReadonlyArray<readonly [string, string]> =>
  CONDITIONS.flatMap((kind) => {
    const condition = node[kind]
    return typeof condition === "string" ? equalities(condition) : []
  })

/** Sets of what is equal. */
const equals = () => {
  const parents = new Map<string, string>()
  const root = (name: string): string => {
    const parent = parents.get(name)
    return parent === undefined ? name : root(parent)
  }
  return {
    root,
    join: (one: string, other: string) => {
      if (root(one) !== root(other)) parents.set(root(one), root(other))
    }
  }
}

/** Whether it is a table that is spread by operator_id. */
const isSpread = (node: PlanNode): boolean => {
  const table = node["Relation Name"]
  return table !== undefined && !(table in GLOBAL_TABLES)
}

/** As a plan writes the column of a node; `*SELECT*` is what a part of a UNION is called. */
const columnOf = ({ Alias = "" }: PlanNode, column = "operator_id"): string =>
  `${/^[a-z_][a-z0-9_]*$/.test(Alias) ? Alias : `"${Alias}"`}.${column}`

/**
 * What of a plan is not reached by the operator of that id, a line each. A scan is reached where its operator_id must be the
 * operator's: by a condition of its own, by one of a join with what is reached, or by a column of that name of a part of
 * the statement (WITH, a subquery), which is the operator's because all is that the part is read from: its scans are in the
 * same plan. What triggers do is in no plan.
 */
export const findUnreachedNodes = (plan: PlanNode, operatorId: number): ReadonlyArray<string> => {
  const nodes = listPlanNodes(plan)
  const { root, join } = equals()
  for (const node of nodes) for (const [one, other] of equalitiesOf(node)) join(one, other)
  const OPERATOR = "the operator"
  for (const known of [`'${operatorId}'::bigint`, `${operatorId}`]) join(known, OPERATOR)
  for (const node of nodes) {
    const isPart = ["CTE Scan", "Subquery Scan"].includes(node["Node Type"])
    if (isPart) join(columnOf(node), OPERATOR)
  }
  // A part that was found to be empty (`WHERE false`) is not scanned, and its columns are of no table: what is joined with it
  // is never looked at.
  if (nodes.some((node) => node["One-Time Filter"] === "false")) join("operator_id", OPERATOR)
  const isReached = (expression: string): boolean =>
    root(bare(expression)) === root(OPERATOR) || /^\(?InitPlan \d+\)?\.col\d+$|^\$\d+$/.test(root(bare(expression)))
  const spread = nodes.filter(isSpread)
  const scans = spread.filter((node) => node["Node Type"] !== "ModifyTable" && !isReached(columnOf(node)))
  // Who reads all operators can name each of them.
  const operators = nodes.filter((node) => node["Relation Name"] === "operators" && node["Node Type"] !== "ModifyTable")
  const all = spread.length === 0 ? [] : operators.filter((node) => !isReached(columnOf(node, "id")))
  const entered = spread.filter((node) => node.Operation === "Insert")
  return [
    ...[...scans, ...all].map((node) => `${node["Node Type"]} of ${node["Relation Name"]} ${node.Alias}`),
    ...entered
      .filter((node) => !isReached(enteredAs(node)))
      .map((node) => `${enteredAs(node)} enters ${node["Relation Name"]}`)
  ]
}

/**
 * The operator_id that an INSERT enters, which is the first column of every table that is spread (test/global-tables.test.ts). What
 * only hands on the rows of a part has names of its own for them.
 */
const enteredAs = (node: PlanNode): string => {
  const source = node.Plans?.find((each) => each["Parent Relationship"] === "Outer")
  const [inner] = source?.Plans ?? []
  const from = source?.["Node Type"] === "Subquery Scan" ? inner : source
  return from?.Output?.[0] ?? "nothing"
}
