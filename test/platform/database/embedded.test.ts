import { layerTestMemory } from "../../support/database.ts"
import { migrateSuite } from "../../support/platform/database/migrate-suite.ts"
import { databaseSuite } from "../../support/platform/database/suite.ts"

databaseSuite("the embedded database", layerTestMemory)
migrateSuite("migrating the embedded database", layerTestMemory)
