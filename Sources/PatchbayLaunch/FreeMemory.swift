import CLaunch

/// What was freed goes back to the system, and does not stay with the allocator for the rest of the session.
public enum FreeMemory {
  /// Large pieces are mapped each for itself from now on, so that none leaves a hole.
  public static func mapLargePieces() { launch_map_large_pieces() }

  /// Gives back what lies free now. Takes some milliseconds; from any thread.
  public static func giveBack() { launch_give_back_memory() }
}
