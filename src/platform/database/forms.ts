import type { SqlClient } from "effect/sql/SqlClient"
import { type Fragment, fragment, parameter, type Statement } from "effect/sql/Statement"
import { toSingleLine } from "./statement-text.ts"

// A statement is written by the sql template, and putting its text together is a third of what a short read allocates. But
// there are few texts: what differs between two calls are mostly the values, and at most which of them were sent. Each such
// form of a statement is built once, of what stands for the values, and then remembered.

/** Forms of one statement that a process remembers. Of more the oldest is built again: that costs time and nothing else. */
export const FORMS = 200

/**
 * What stands for a value while a form is built: a parameter, and nothing to decide by. It is an object, whatever the value
 * is: `flag ? a : b` or `name === null` would have one answer for all values. The compiler takes both; test/givens.test.ts
 * looks for them in all of src.
 */
export interface Given<out A> extends Fragment {
  read(all: object): A
  [Symbol.toPrimitive](): never
}

/** A value, or what stands for it in a form. */
export type Value<A> = A | Given<A>

/** What stands for values, by name; a value that is undefined is so here too, and may decide what the statement says. */
export type Givens<Values> = {
  readonly [Name in keyof Values]:
    | Given<Exclude<Values[Name], undefined>>
    | (undefined extends Values[Name] ? undefined : never)
}

/** Values, or what stands for them, by name. */
export type Valued<Values> = {
  readonly [Name in keyof Values]: Value<Exclude<Values[Name], undefined>> | Extract<Values[Name], undefined>
}

/** What decides the text of a statement beside which of its values there are: names of code, never what a caller wrote. */
export type Shape = ReadonlyArray<string | number | boolean>

/** The place of a value among the parameters of a form. Written down as a value, it would be the same in every call. */
class Slot {
  readonly read: (all: object) => unknown
  constructor(given: { read(all: object): unknown }) {
    this.read = (all) => given.read(all)
  }
  toJSON(): never {
    return notYet()
  }
}

const notYet = (): never => {
  throw new Error("a form of a statement has no values yet: what is worked out of them is partOf(value, …)")
}

/** What stands for a value that is read from all that a call gives. */
const given = <All extends object, A>(read: (all: All) => A): Given<A> => ({
  ...fragment([parameter(new Slot({ read }))]),
  read,
  [Symbol.toPrimitive]: notYet
})

const isGiven = <A>(value: Value<A>): value is Given<A> =>
  typeof value === "object" &&
  value !== null &&
  "segments" in value &&
  value.segments.length === 1 &&
  value.segments[0]?._tag === "Parameter" &&
  value.segments[0].value instanceof Slot

/** A part of a value, or what is worked out of it for a parameter; in a form it is so anew for each call. */
export const partOf = <A, B>(value: Value<A>, part: (value: A) => B): Value<B> =>
  isGiven(value) ? given((all) => part(value.read(all))) : part(value)

/** What stands for the values that there are; `of` finds them in all that a call gives. */
const givensOf = <All extends object, Values extends object>(
  values: Values,
  of: (all: All) => Values
): Givens<Values> => {
  const givens = Object.create(null)
  for (const name in values) {
    givens[name] = values[name] === undefined ? undefined : given((all: All) => of(all)[name])
  }
  return givens
}

/** Values a statement may have, and those its kind adds: which of them there are must be a whole number. */
const VALUES = 40
const OWN_VALUES = 12

/** Tells which values there are, as one number. */
const presence = (most: number) => {
  const bits = new Map<string, number>()
  const newBit = (name: string): number => {
    if (bits.size === most) throw new Error(`a statement has more than ${most} values`)
    const bit = 2 ** bits.size
    bits.set(name, bit)
    return bit
  }
  return <Values extends object>(values: Values): number => {
    let there = 0
    for (const name in values) {
      if (values[name] !== undefined) there += bits.get(name) ?? newBit(name)
    }
    return there
  }
}

interface Form {
  readonly text: string
  readonly values: ReadonlyArray<(all: object) => unknown>
}

const formOf = (sql: SqlClient, statement: Fragment): Form => {
  const [text, parameters] = sql`${statement}`.compile()
  return {
    text: toSingleLine(text),
    values: parameters.map((value) => (value instanceof Slot ? value.read : () => value))
  }
}

/** What is remembered, by name. */
const remembered = () => {
  const forms = new Map<number | string, Form>()
  return (name: number | string, build: () => Form): Form => {
    const known = forms.get(name)
    if (known !== undefined) return known
    const [oldest] = forms.keys()
    if (oldest !== undefined && forms.size >= FORMS) forms.delete(oldest)
    const form = build()
    forms.set(name, form)
    return form
  }
}

/**
 * A statement that is built once for each of its forms: `build` is given what stands for the values, and sees of them only
 * which there are. What else its text depends on is its `shape`. To be called where a store is made, not where it is asked.
 */
export const inForms = <Values extends object, S extends Shape = []>(
  sql: SqlClient,
  build: (given: Givens<Values>, ...shape: S) => Fragment
): ((values: Values, ...shape: S) => Statement<object>) => {
  const statement = inFormsBeside<object, Values, S>(sql, (_own, given, ...shape) => build(given, ...shape))
  return (values, ...shape) => statement(NONE, values, ...shape)
}

const NONE = {}

/** The same for a kind of statement that adds values of its own, whatever the names of the others. */
export const inFormsBeside = <Own extends object, Values extends object, S extends Shape>(
  sql: SqlClient,
  build: (own: Givens<Own>, given: Givens<Values>, ...shape: S) => Fragment
): ((own: Own, values: Values, ...shape: S) => Statement<object>) => {
  interface Call {
    readonly own: Own
    readonly values: Values
  }
  const valuesThere = presence(VALUES)
  const ownThere = presence(OWN_VALUES)
  const form = remembered()
  return (own, values, ...shape) => {
    const there = valuesThere(values) * 2 ** OWN_VALUES + ownThere(own)
    const { text, values: parameters } = form(shape.length === 0 ? there : `${there} ${JSON.stringify(shape)}`, () =>
      formOf(
        sql,
        build(
          givensOf(own, (call: Call) => call.own),
          givensOf(values, (call: Call) => call.values),
          ...shape
        )
      )
    )
    const call: Call = { own, values }
    return sql.unsafe<object>(
      text,
      parameters.map((read) => read(call))
    )
  }
}
