import { layerTestMemory } from "../../support/database.ts"
import { databaseSuite } from "../../support/platform/database/database-suite.ts"
import { migrateSuite } from "../../support/platform/database/migrate-suite.ts"

databaseSuite("the embedded database", layerTestMemory)
migrateSuite("migrating the embedded database", layerTestMemory)
