import { join } from "node:path"
import { type BinaryExpression, type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast"
import {
  isBinaryExpression,
  isConditionalExpression,
  isDoStatement,
  isForStatement,
  isIdentifier,
  isIfStatement,
  isPrefixUnaryExpression,
  isSwitchStatement,
  isTypeOfExpression,
  isWhileStatement
} from "typescript/unstable/ast/is"
import { API, type Checker, type Project, type Type } from "typescript/unstable/sync"

// What stands for a value in a form of a statement (src/platform/database/forms.ts) is an object: whatever is asked of it but
// whether it is undefined has the same answer for every value, and the compiler has no objection.

/** Where a value decides something that it cannot decide. */
export interface ParameterCondition {
  readonly file: string
  readonly line: number
  readonly expression: string
}

interface ConditionOperand {
  readonly operand: Node
  /** `??` asks for null too: of a value that is never null it asks whether there is one, and `?? null` is null for both. */
  readonly onlyIfNullable: boolean
}

/** Operators that ask their left side whether there is something; the right one is an answer. */
const LOGICAL_OPERATORS = new Set([SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken])

const COMPARISON_OPERATORS = new Set([
  ...[SyntaxKind.EqualsEqualsToken, SyntaxKind.EqualsEqualsEqualsToken],
  ...[SyntaxKind.ExclamationEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken],
  ...[SyntaxKind.InKeyword, SyntaxKind.InstanceOfKeyword]
])

const isUndefined = (node: Node): boolean => isIdentifier(node) && node.text === "undefined"

const listBinaryOperands = ({ left, operatorToken, right }: BinaryExpression): ReadonlyArray<ConditionOperand> => {
  if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
    return right.kind === SyntaxKind.NullKeyword ? [] : [{ operand: left, onlyIfNullable: true }]
  }
  if (LOGICAL_OPERATORS.has(operatorToken.kind)) return [{ operand: left, onlyIfNullable: false }]
  if (!COMPARISON_OPERATORS.has(operatorToken.kind) || isUndefined(left) || isUndefined(right)) return []
  return [left, right].map((operand) => ({ operand, onlyIfNullable: false }))
}

/** What a piece of code asks of which of its expressions. */
const listConditionOperands = (node: Node): ReadonlyArray<ConditionOperand> => {
  if (isBinaryExpression(node)) return listBinaryOperands(node)
  const condition = isConditionalExpression(node)
    ? node.condition
    : isIfStatement(node) ||
        isSwitchStatement(node) ||
        isWhileStatement(node) ||
        isDoStatement(node) ||
        isTypeOfExpression(node)
      ? node.expression
      : isForStatement(node)
        ? node.condition
        : isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken
          ? node.operand
          : undefined
  return condition === undefined ? [] : [{ operand: condition, onlyIfNullable: false }]
}

const listAllConditionOperands = (node: Node): ReadonlyArray<ConditionOperand> => {
  const operands = [...listConditionOperands(node)]
  node.forEachChild((child) => {
    operands.push(...listAllConditionOperands(child))
  })
  return operands
}

const unionMembersOf = (type: Type): ReadonlyArray<Type> => (type.isUnionType() ? (type.getTypes() ?? []) : [type])

const mayBeNull = (checker: Checker, type: Type): boolean =>
  !type.isTypeReference() ||
  checker.getTypeArguments(type).some((value) => checker.isTypeAssignableTo(checker.getNullType(), value))

const isParameterType = (checker: Checker, type: Type | undefined, onlyIfNullable: boolean): boolean =>
  type !== undefined &&
  unionMembersOf(type).some(
    (member) => member.getSymbol()?.name === "Given" && (!onlyIfNullable || mayBeNull(checker, member))
  )

const lineOf = (source: SourceFile, node: Node): number =>
  source.text.slice(0, node.getStart(source)).split("\n").length

const findConditionsInFile = (project: Project, file: string): ReadonlyArray<ParameterCondition> => {
  const source = project.program.getSourceFile(file)
  if (source === undefined) throw new Error(`no source ${file}`)
  const operands = listAllConditionOperands(source)
  const types = project.checker.getTypeAtLocation(operands.map(({ operand }) => operand))
  return operands
    .filter(({ onlyIfNullable: ifNullable }, at) => isParameterType(project.checker, types[at], ifNullable))
    .map(({ operand }) => ({ file, line: lineOf(source, operand), expression: operand.getText(source) }))
}

/** Where in the files a value decides something, beside its being there. */
export const findParameterConditions = (files: ReadonlyArray<string>): ReadonlyArray<ParameterCondition> => {
  const root = join(import.meta.dirname, "../..")
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects()
    if (project === undefined) throw new Error("the compiler found no project")
    return files.flatMap((file) => findConditionsInFile(project, file))
  } finally {
    api.close()
  }
}
