import { Layer } from "effect"
import { layerTransactions } from "./transactions/handlers.ts"
import { TransactionStore } from "./transactions/store.ts"

/** The handlers of every operation, over the database. */
export const layerHandlers = layerTransactions.pipe(Layer.provide(TransactionStore.layer))
