int PatchbayPreload_placeholder(void);
