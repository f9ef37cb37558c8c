import { Option, Schema, SchemaAST } from "effect"

// Rows by the hundred are read by position: each column by the plainest function that its field allows. Whatever that is in doubt of, the Schema of the record decides: it reads every row alike, and says
// of a bad one what is wrong with it.

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** Reads what the database has in the column of a field; undefined where the field's Schema has to. */
      readonly fromColumn?: ((value: unknown) => unknown) | undefined
    }
  }
}

/** What a row is read as: a struct of columns. */
export interface RowStruct<A> extends Schema.ConstraintDecoder<A> {
  readonly fields: { readonly [name: string]: Schema.ConstraintDecoder<unknown> }
}

type ReadColumn = (value: unknown) => unknown

/** Whether what fits the field is read as it is. */
const isPlain = (ast: SchemaAST.AST): boolean =>
  ast.encoding === undefined &&
  (SchemaAST.isUnion(ast)
    ? ast.types.every(isPlain)
    : SchemaAST.isString(ast) ||
      SchemaAST.isNumber(ast) ||
      SchemaAST.isBoolean(ast) ||
      SchemaAST.isNull(ast) ||
      SchemaAST.isLiteral(ast) ||
      (SchemaAST.isDeclaration(ast) && ast.typeParameters.length === 0))

/** Whether it is null or something and nothing beside: what is checked or made of either is for the Schema to do. */
const isNullOr = (ast: SchemaAST.AST): ast is SchemaAST.Union =>
  SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isNull) && ast.checks === undefined && ast.encoding === undefined

const resolveColumnReader = (ast: SchemaAST.AST): ReadColumn | undefined => {
  const annotated = SchemaAST.resolveAt<ReadColumn>("fromColumn")(ast)
  if (annotated !== undefined || !isNullOr(ast)) return annotated
  const [only, ...others] = ast.types.filter((type) => !SchemaAST.isNull(type))
  const read = only === undefined || others.length > 0 ? undefined : resolveColumnReader(only)
  return read === undefined ? undefined : (value) => (value === null ? null : read(value))
}

const makeColumnReader = (field: Schema.ConstraintDecoder<unknown>): ReadColumn => {
  const { ast } = field
  if (isPlain(ast)) {
    const fits = Schema.is(field)
    return (value) => (fits(value) ? value : undefined)
  }
  const special = resolveColumnReader(ast)
  if (special !== undefined) return special
  const decode = Schema.decodeUnknownOption(field)
  return (value) => Option.getOrUndefined(decode(value))
}

/** Whether a struct is its fields and nothing beside: a check of its own, or other names, are for the Schema to read. */
const isFlat = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) && ast.encoding === undefined && ast.checks === undefined && ast.indexSignatures.length === 0

/** The names of the columns, in the order a row has them. */
export const listColumnNames = <A>(row: RowStruct<A>): ReadonlyArray<string> => Object.keys(row.fields)

/**
 * Returns a function that reads a row of columns from a place in it on, in the order of the struct's fields. It throws for a row that
 * does not fit. A record begins as a copy of one that has all its fields: an object that grows field by field is six times the size.
 */
export const makePositionalRowReader = <A>(row: RowStruct<A>, offset = 0): ((values: ReadonlyArray<unknown>) => A) => {
  const names = listColumnNames(row)
  const decode = Schema.decodeUnknownSync(row)
  const decodeBySchema = (values: ReadonlyArray<unknown>): A =>
    decode(Object.fromEntries(names.map((name, at) => [name, values[offset + at]])))
  if (!isFlat(row.ast)) return decodeBySchema
  const columns = Object.entries(row.fields).map(([name, field]) => ({ name, read: makeColumnReader(field) }))
  // Parsed from JSON, a record has room for exactly its fields.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))))
  return (values) => {
    const record = { ...blank }
    let at = offset
    for (const { name, read } of columns) {
      const value = read(values[at++])
      if (value === undefined) return decodeBySchema(values)
      record[name] = value
    }
    return record
  }
}
