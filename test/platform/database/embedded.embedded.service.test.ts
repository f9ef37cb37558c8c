import { defineDatabaseSuite } from "../../support/platform/database/database-suite.ts"
import { defineMigrationSuite } from "../../support/platform/database/migration-suite.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

defineDatabaseSuite("the embedded database", layerTestDatabaseInMemory)
defineMigrationSuite("migrating the embedded database", layerTestDatabaseInMemory)
