import { Option, Schema, SchemaAST } from "effect"

// Reads each column with the fastest function that its field allows. If this function rejects a value, the Schema of
// the record decides.

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /**
       * Reads a value faster than the field's Schema. Returns undefined for a value that only the Schema can decode.
       */
      readonly fromColumn?: ((value: unknown) => unknown) | undefined
    }
  }
}

export interface RowStruct<A> extends Schema.ConstraintDecoder<A> {
  readonly fields: { readonly [name: string]: Schema.ConstraintDecoder<unknown> }
}

type ReadColumn = (value: unknown) => unknown

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

const isFlat = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) && ast.encoding === undefined && ast.checks === undefined && ast.indexSignatures.length === 0

export const listColumnNames = <A>(row: RowStruct<A>): ReadonlyArray<string> => Object.keys(row.fields)

/** The returned function reads a struct's fields in order, from `offset` on, and throws for an invalid row. */
export const makePositionalRowReader = <A>(row: RowStruct<A>, offset = 0): ((values: ReadonlyArray<unknown>) => A) => {
  const names = listColumnNames(row)
  const decode = Schema.decodeUnknownSync(row)
  const decodeBySchema = (values: ReadonlyArray<unknown>): A =>
    decode(Object.fromEntries(names.map((name, at) => [name, values[offset + at]])))
  if (!isFlat(row.ast)) return decodeBySchema
  const columns = Object.entries(row.fields).map(([name, field]) => ({ name, read: makeColumnReader(field) }))
  // A copy of this object uses less memory than an object to which fields are added.
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
