/* One execution: what a run costs besides. */
int main(void)
{
	return 0;
}
