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

const CONDITION_PROPERTIES = ["Filter", "Join Filter", "Index Cond", "Recheck Cond", "Hash Cond", "Merge Cond"]

export const listPlanNodes = (plan: PlanNode): ReadonlyArray<PlanNode> => [
  plan,
  ...(plan.Plans ?? []).flatMap(listPlanNodes)
]

/** Each character of an expression outside of quotes, with how many parentheses are open around it. */
const listUnquoted = function* (text: string): Generator<{ readonly at: number; readonly depth: number }> {
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
const splitOutsideParentheses = (text: string, word: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let from = 0
  for (const { at, depth } of listUnquoted(text)) {
    if (depth === 0 && at >= from && text.startsWith(word, at)) {
      parts.push(text.slice(from, at))
      from = at + word.length
    }
  }
  return [...parts, text.slice(from)]
}

/** Without parentheses around the whole of it. */
const stripParentheses = (text: string): string => {
  const trimmed = text.trim()
  if (!trimmed.startsWith("(") || !trimmed.endsWith(")")) return trimmed
  const closes = Array.from(listUnquoted(trimmed)).find(({ at, depth }) => at > 0 && depth === 0)
  return closes?.at === trimmed.length - 1 ? stripParentheses(trimmed.slice(1, -1)) : trimmed
}

/** What must be equal where a condition holds: of an OR, or a NOT, nothing. */
const parseEqualities = (condition: string): ReadonlyArray<readonly [string, string]> =>
  splitOutsideParentheses(stripParentheses(condition), " AND ").flatMap((part) => {
    const conjunct = stripParentheses(part)
    if (splitOutsideParentheses(conjunct, " AND ").length > 1) return parseEqualities(conjunct)
    const sides = splitOutsideParentheses(conjunct, " = ")
    const [left = "", right = ""] = sides
    return sides.length === 2 && splitOutsideParentheses(conjunct, " OR ").length === 1
      ? [[stripParentheses(left), stripParentheses(right)] as const]
      : []
  })

const listNodeEqualities = (node: PlanNode): ReadonlyArray<readonly [string, string]> =>
  CONDITION_PROPERTIES.flatMap((kind) => {
    const condition = node[kind]
    return typeof condition === "string" ? [...parseEqualities(condition), ...parseRowRange(condition)] : []
  })

const ROW_BOUND = /ROW\(([^,()]+), [^()]*\) (>=?|<=?) ROW\(([^,()]+), /g

/** A range of rows that begins and ends with the same first value: the first column has this value. */
const parseRowRange = (condition: string): ReadonlyArray<readonly [string, string]> => {
  if (/ OR |\bNOT /.test(condition)) return []
  const bounds = Array.from(condition.matchAll(ROW_BOUND), ([, column = "", sign = "", value = ""]) => ({
    column,
    isLower: sign.startsWith(">"),
    value
  }))
  return bounds.flatMap(({ column, isLower, value }) =>
    isLower && bounds.some((other) => !other.isLower && other.column === column && other.value === value)
      ? [[column, value] as const]
      : []
  )
}

/** Sets of what is equal. */
const makeEqualitySets = () => {
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

/**
 * The values that a statement hides from its planner (`genericPlanParameter`), by the name that conditions have for them: `$0`, or
 * `(InitPlan 1).col1` since PostgreSQL 17.
 */
const listHiddenValues = (nodes: ReadonlyArray<PlanNode>): ReadonlyMap<string, string> =>
  new Map(
    nodes.flatMap((node) => {
      const [value] = node.Output ?? []
      const [, number, name = `(InitPlan ${number}).col1`] =
        /^InitPlan (\d+)(?: \(returns (\$\d+)\))?$/.exec(String(node["Subplan Name"])) ?? []
      const isValue = node["Node Type"] === "Result" && node.Plans === undefined && value !== undefined
      return isValue && number !== undefined ? [[name, value]] : []
    })
  )

/** Whether it is a table that is spread by operator_id. */
const isOperatorTable = (node: PlanNode): boolean => {
  const table = node["Relation Name"]
  return table !== undefined && !(table in GLOBAL_TABLES)
}

/** As a plan writes the column of a node; `*SELECT*` is what a part of a UNION is called. */
const formatColumn = ({ Alias = "" }: PlanNode, column = "operator_id"): string =>
  `${/^[a-z_][a-z0-9_]*$/.test(Alias) ? Alias : `"${Alias}"`}.${column}`

/**
 * What of a plan is not reached by the operator of that id, a line each. A scan is reached where its operator_id must be the
 * operator's: by a condition of its own, by one of a join with what is reached, or by a column of that name of a part of
 * the statement (WITH, a subquery), which is the operator's because all is that the part is read from: its scans are in the
 * same plan. What triggers do is in no plan.
 */
export const findUnreachedNodes = (plan: PlanNode, operatorId: number): ReadonlyArray<string> => {
  const nodes = listPlanNodes(plan)
  const { root, join } = makeEqualitySets()
  for (const node of nodes) for (const [one, other] of listNodeEqualities(node)) join(one, other)
  const hiddenValues = listHiddenValues(nodes)
  for (const [name, value] of hiddenValues) join(name, value)
  const OPERATOR = "the operator"
  for (const known of [`'${operatorId}'::bigint`, `${operatorId}`]) join(known, OPERATOR)
  for (const node of nodes) {
    const isPlanPart = ["CTE Scan", "Subquery Scan"].includes(node["Node Type"])
    if (isPlanPart) join(formatColumn(node), OPERATOR)
  }
  // A part that was found to be empty (`WHERE false`) is not scanned, and its columns are of no table: what is joined with it
  // is never looked at.
  if (nodes.some((node) => node["One-Time Filter"] === "false")) join("operator_id", OPERATOR)
  const isReached = (expression: string): boolean =>
    root(stripParentheses(expression)) === root(OPERATOR) ||
    /^\(?InitPlan \d+\)?\.col\d+$|^\$\d+$/.test(root(stripParentheses(expression)))
  const operatorScans = nodes.filter(isOperatorTable)
  const scans = operatorScans.filter((node) => node["Node Type"] !== "ModifyTable" && !isReached(formatColumn(node)))
  // Who reads all operators can name each of them.
  const operators = nodes.filter((node) => node["Relation Name"] === "operators" && node["Node Type"] !== "ModifyTable")
  const unboundOperators =
    operatorScans.length === 0 ? [] : operators.filter((node) => !isReached(formatColumn(node, "id")))
  const inserts = operatorScans.filter((node) => node.Operation === "Insert")
  return [
    ...[...scans, ...unboundOperators].map((node) => `${node["Node Type"]} of ${node["Relation Name"]} ${node.Alias}`),
    ...inserts
      .filter((node) => !isReached(findInsertedOperatorId(node)))
      .map((node) => `${findInsertedOperatorId(node)} enters ${node["Relation Name"]}`)
  ]
}

/**
 * The operator_id that an INSERT enters, which is the first column of every table that is spread (test/global-tables.service.test.ts). What
 * only hands on the rows of a part has names of its own for them.
 */
const findInsertedOperatorId = (node: PlanNode): string => {
  const source = node.Plans?.find((each) => each["Parent Relationship"] === "Outer")
  const [inner] = source?.Plans ?? []
  const from = source?.["Node Type"] === "Subquery Scan" ? inner : source
  return from?.Output?.[0] ?? "nothing"
}
