import { layerTestMemory } from "../database.ts"
import { migrateSuite } from "./migrate-suite.ts"
import { databaseSuite } from "./suite.ts"

databaseSuite("the embedded database", layerTestMemory)
migrateSuite("migrating the embedded database", layerTestMemory)
