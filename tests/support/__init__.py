"""What the tests stand on: servers, databases, pgTAP. No test lives here."""
