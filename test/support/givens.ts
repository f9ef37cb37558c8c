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
export interface Decided {
  readonly file: string
  readonly line: number
  readonly expression: string
}

interface Question {
  readonly operand: Node
  /** `??` asks for null too: of a value that is never null it asks whether there is one, and `?? null` is null for both. */
  readonly ifNullable: boolean
}

/** Operators that ask their left side whether there is something; the right one is an answer. */
const CHOICES = new Set([SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken])

const COMPARISONS = new Set([
  ...[SyntaxKind.EqualsEqualsToken, SyntaxKind.EqualsEqualsEqualsToken],
  ...[SyntaxKind.ExclamationEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken],
  ...[SyntaxKind.InKeyword, SyntaxKind.InstanceOfKeyword]
])

const isUndefined = (node: Node): boolean => isIdentifier(node) && node.text === "undefined"

const questionsOfBinary = ({ left, operatorToken, right }: BinaryExpression): ReadonlyArray<Question> => {
  if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
    return right.kind === SyntaxKind.NullKeyword ? [] : [{ operand: left, ifNullable: true }]
  }
  if (CHOICES.has(operatorToken.kind)) return [{ operand: left, ifNullable: false }]
  if (!COMPARISONS.has(operatorToken.kind) || isUndefined(left) || isUndefined(right)) return []
  return [left, right].map((operand) => ({ operand, ifNullable: false }))
}

/** What a piece of code asks of which of its expressions. */
const questionsOf = (node: Node): ReadonlyArray<Question> => {
  if (isBinaryExpression(node)) return questionsOfBinary(node)
  const asked = isConditionalExpression(node)
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
  return asked === undefined ? [] : [{ operand: asked, ifNullable: false }]
}

const questionsIn = (node: Node): ReadonlyArray<Question> => {
  const found = [...questionsOf(node)]
  node.forEachChild((child) => {
    found.push(...questionsIn(child))
  })
  return found
}

const membersOf = (type: Type): ReadonlyArray<Type> => (type.isUnionType() ? (type.getTypes() ?? []) : [type])

const mayBeNull = (checker: Checker, given: Type): boolean =>
  !given.isTypeReference() ||
  checker.getTypeArguments(given).some((value) => checker.isTypeAssignableTo(checker.getNullType(), value))

const decidesBy = (checker: Checker, type: Type | undefined, ifNullable: boolean): boolean =>
  type !== undefined &&
  membersOf(type).some((member) => member.getSymbol()?.name === "Given" && (!ifNullable || mayBeNull(checker, member)))

const lineOf = (source: SourceFile, node: Node): number =>
  source.text.slice(0, node.getStart(source)).split("\n").length

const decidedIn = (project: Project, file: string): ReadonlyArray<Decided> => {
  const source = project.program.getSourceFile(file)
  if (source === undefined) throw new Error(`no source ${file}`)
  const questions = questionsIn(source)
  const types = project.checker.getTypeAtLocation(questions.map(({ operand }) => operand))
  return questions
    .filter(({ ifNullable }, at) => decidesBy(project.checker, types[at], ifNullable))
    .map(({ operand }) => ({ file, line: lineOf(source, operand), expression: operand.getText(source) }))
}

/** Where in the files a value decides something, beside its being there. */
export const decidedByValues = (files: ReadonlyArray<string>): ReadonlyArray<Decided> => {
  const root = join(import.meta.dirname, "../..")
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects()
    if (project === undefined) throw new Error("the compiler found no project")
    return files.flatMap((file) => decidedIn(project, file))
  } finally {
    api.close()
  }
}
