import { Layer } from "effect"
import { Availability } from "./availability/Availability.ts"
import { layerAvailabilities } from "./availability/handlers.ts"
import { AvailabilityStore } from "./availability/store.ts"
import { layerStaffs } from "./staffs/handlers.ts"
import { StaffStore } from "./staffs/store.ts"
import { layerTasks } from "./tasks/handlers.ts"
import { TaskStore } from "./tasks/store.ts"
import { layerTransactions } from "./transactions/handlers.ts"
import { TransactionStore } from "./transactions/store.ts"

/** The handlers of every operation, over the database. */
export const layerHandlers = Layer.mergeAll(
  layerTransactions.pipe(Layer.provide(TransactionStore.layer)),
  layerAvailabilities.pipe(Layer.provide([Availability.layer, AvailabilityStore.layer])),
  layerTasks.pipe(Layer.provide(TaskStore.layer)),
  layerStaffs.pipe(Layer.provide(StaffStore.layer))
)
