// The generator uses the API of TypeScript 5, and finds the project's TypeScript 7, which has none: it is given this folder's.
import { registerHooks } from "node:module"

const HERE = import.meta.url

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "typescript" ? { ...context, parentURL: HERE } : context)
})
