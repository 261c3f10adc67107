// Package crash is the proxy between a target and its database. It cuts the traffic into units, which are what gets one
// answer from the database, labels each with the verb and the table of its SQL, and can stop the world at a point: at a
// unit that the database has not seen yet, or at one that it has carried out while the target waits for the reply.
//
// For PostgreSQL a unit ends with a simple Query or with Sync, since the server commits at no other place (PostgreSQL
// documentation, "Frontend/Backend Protocol"). For MySQL and MariaDB a unit is a command packet that gets a reply (MySQL
// documentation, "Client/Server Protocol"). For any other protocol a unit is what the target sends until the database
// answers; such steps have no names, so that they can be told apart only while nothing else talks to the database.
//
// A sweep takes several dry runs (Record), plans points from what they share (Plan), and then arms one point per history
// (Arm), after the rests of the history before have died away (Quiesce).
package crash
