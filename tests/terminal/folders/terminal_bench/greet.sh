#!/bin/bash
echo Hello $2!
