int CLaunch_placeholder(void);
