import { Predicate, type Schema, type SchemaAST } from "effect"
import { toldName } from "../../contract/told-name.ts"
import { NAMES_TOLD } from "../../platform/limits.ts"
import { nearest } from "./nearest.ts"

// An argument that a tool does not know changes nothing (contract facts 0.1), and whoever sent it believes it did.

/** Tells of the arguments a payload does not know, and of those that may have been meant; nothing when it knows all. */
export const ignoredBy = (payload: Schema.Constraint): ((fields: unknown) => string | undefined) => {
  const look = looking(payload.ast)
  return (fields) => {
    const found = new Found()
    look(fields, "", found)
    if (found.count === 0) return undefined
    const told = found.first.map(({ path, name, free }) => {
      const near = nearest(toldName(name), free)
      return { name: `${path}${toldName(name)}`, near: near === undefined ? [] : [`${path}${near}`] }
    })
    const more = found.count > NAMES_TOLD ? ` and ${found.count - NAMES_TOLD} more` : ""
    const meant = new Set(told.flatMap(({ near }) => near))
    const question = meant.size === 0 ? "" : ` Did you mean ${Array.from(meant).join(", ")}?`
    return `Ignored: ${told.map(({ name }) => name).join(", ")}${more}.${question}`
  }
}

interface Unknown {
  /** What it is in, with a dot at its end. */
  readonly path: string
  readonly name: string
  /** The names known there that are not given. */
  readonly free: ReadonlyArray<string>
}

/** How many are unknown, and the first of them: all that is kept of many. */
class Found {
  count = 0
  readonly first: Array<Unknown> = []

  add(unknown: () => Unknown): void {
    this.count++
    if (this.count <= NAMES_TOLD) this.first.push(unknown())
  }
}

type Look = (value: unknown, path: string, found: Found) => void

const nothing: Look = () => {}

const looking = (ast: SchemaAST.AST): Look => {
  switch (ast._tag) {
    case "Union":
      return lookingIntoChoice(ast.types.map(looking))
    case "Arrays":
      return lookingIntoList(ast.rest.map(looking))
    case "Objects":
      return ast.indexSignatures.length > 0 ? nothing : lookingIntoFields(ast)
    default:
      return nothing
  }
}

/** Of a choice such as "an object or null" one alone looks into objects; where several do, each name is known to one. */
const lookingIntoChoice = (looks: ReadonlyArray<Look>): Look => {
  const [look = nothing, ...others] = looks.filter((each) => each !== nothing)
  return others.length === 0 ? look : nothing
}

const lookingIntoList = ([look = nothing]: ReadonlyArray<Look>): Look =>
  look === nothing
    ? nothing
    : (value, path, found) => {
        if (!Array.isArray(value)) return
        value.forEach((each, index) => {
          look(each, `${path.slice(0, -1)}[${index}].`, found)
        })
      }

/** Fields that an edit always refuses are known, and never what was meant. */
const lookingIntoFields = ({ propertySignatures }: SchemaAST.Objects): Look => {
  const known = new Map(propertySignatures.map(({ name, type }) => [String(name), looking(type)]))
  const useful = propertySignatures
    .filter(({ type }) => type.context?.annotations?.neverChanges !== true)
    .map(({ name }) => String(name))
  return (value, path, found) => {
    if (!Predicate.isObject(value)) return
    for (const name of Object.keys(value)) {
      const look = known.get(name)
      if (look !== undefined) look(value[name], `${path}${name}.`, found)
      else found.add(() => ({ path, name, free: useful.filter((one) => !Object.hasOwn(value, one)) }))
    }
  }
}
