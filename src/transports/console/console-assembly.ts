import { Layer } from "effect"
import { SubAccounts } from "../../domain/access/sign-in/SubAccounts.ts"
import { layerConsoleQueries } from "./queries/layer.ts"

/**
 * What the pages of the console work with beside the Service: what the process, the tests and the bench all run. Who is signed in,
 * what hosts gave to applications, the database and the way out are left to whoever assembles it.
 */
export const layerConsoleAssembly = Layer.mergeAll(
  layerConsoleQueries,
  SubAccounts.layer
)
